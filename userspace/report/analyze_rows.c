/* SPDX-License-Identifier: GPL-2.0-only */
/* The aggregated ledger: time by group, band, part, state of the front and culprit's name. */
#include "report/analyze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Culprits are added up by name: a hundred short-lived threads of one program are one culprit. Rows
 * are few (names × parts), so a hash of their five fields is enough.
 */
struct rows {
	u32 *names; /* per task: index into summary's culprits, NONE32: not named yet */
	u32 unknown_name;
	/* Per resource, and for carriers: per named key, and for the others. */
	u32 keys[RESOURCES_MAX + 1][NAMED_KEYS_MAX + 1];
	struct ledger_row *table; /* a power of two, ns 0: empty */
	u32 size, used;
	/* Without a culprit there is a place for everything. */
	u64 plain[GROUP_NR][BAND_NR][PART_NR][FRONT_NR];
};

int rows_new(struct analysis *a)
{
	u32 nr = trace_nr_tasks(a->r);
	struct rows *r = calloc(1, sizeof(*r));

	a->rows = r;
	if (!r)
		return -ENOMEM;
	r->size = 256;
	r->unknown_name = NONE32;
	memset(r->keys, 0xff, sizeof(r->keys));
	r->table = calloc(r->size, sizeof(*r->table));
	r->names = malloc((nr + 1) * sizeof(*r->names));
	if (!r->table || !r->names)
		return -ENOMEM;
	memset(r->names, 0xff, (nr + 1) * sizeof(*r->names));
	return 0;
}

void rows_free(struct analysis *a)
{
	if (!a->rows)
		return;
	free(a->rows->names);
	free(a->rows->table);
	free(a->rows);
	a->rows = NULL;
}

/* Is the last element of the path this name, in a group of a run of ours? */
static bool path_ends(const char *path, const char *name)
{
	const char *last = path ? strrchr(path, '/') : NULL;

	return last && !strcmp(last + 1, name) && strstr(path, "holbench-");
}

static enum culprit_class class_of(const struct task *t, const char *path)
{
	if (t->class == TASK_INTERRUPT)
		return CULPRIT_INTERRUPT;
	if (t->worker != NONE32 || path_ends(path, "workers"))
		return CULPRIT_WORKERS;
	if (path_ends(path, "noise"))
		return CULPRIT_NOISE;
	return t->class == TASK_KTHREAD ? CULPRIT_KTHREAD : CULPRIT_SYSTEM;
}

/* The index of a culprit among the summary's, adding it when new; NONE32 when out of memory. */
static u32 culprit_add(struct summary *s, const char *name, const char *path,
		       enum culprit_class class)
{
	struct culprit *culprits, *c;

	for (u32 i = 0; i < s->nr_culprits; i++)
		if (s->culprits[i].class == class && !strcmp(s->culprits[i].name, name))
			return i;
	culprits = realloc(s->culprits, (s->nr_culprits + 1) * sizeof(*culprits));
	if (!culprits)
		return NONE32;
	s->culprits = culprits;
	c = &culprits[s->nr_culprits];
	*c = (struct culprit){strdup(name), strdup(path ? path : ""), class};
	if (c->name && c->cgroup)
		return s->nr_culprits++;
	free(c->name);
	free(c->cgroup);
	return NONE32;
}

/* Where the index of the charge's culprit is kept. */
static u32 *culprit_slot(struct analysis *a, const struct charge *c)
{
	struct rows *r = a->rows;
	u32 key, resource = RESOURCES_MAX;

	if (!culprit_is_key(c->culprit))
		return c->culprit < trace_nr_tasks(a->r) ? &r->names[c->culprit] : &r->unknown_name;
	if (charge_has_resource((enum part)c->part, (enum front)c->front))
		resource = culprit_resource(c->culprit);
	key = culprit_key(c->culprit);
	return &r->keys[resource][key < NAMED_KEYS_MAX ? key : NAMED_KEYS_MAX];
}

static u32 culprit_index(struct analysis *a, const struct charge *c)
{
	u32 *slot = culprit_slot(a, c);
	const char *path = NULL, *name;
	enum culprit_class class = CULPRIT_NOT_RECORDED;
	char buf[128];

	if (*slot != NONE32)
		return *slot;
	name = charge_culprit(buf, sizeof(buf), c, &a->spec, a->r, false);
	if (culprit_is_key(c->culprit)) {
		class = CULPRIT_ITEMS;
	} else if (c->culprit < trace_nr_tasks(a->r)) {
		const struct task *t = &trace_tasks(a->r)[c->culprit];

		path = trace_cgroup_path(a->r, t->cgroup);
		class = class_of(t, path);
	}
	*slot = culprit_add(a->s, name, path, class);
	return *slot;
}

static u32 row_hash(const struct ledger_row *k)
{
	u32 h = k->culprit * 0x9e3779b1u;

	h ^= (u32)k->group << 24 | (u32)k->band << 16 | (u32)k->part << 8 | k->front;
	h *= 0x85ebca6bu;
	return h ^ h >> 15;
}

static bool row_same(const struct ledger_row *x, const struct ledger_row *y)
{
	return x->culprit == y->culprit && x->group == y->group && x->band == y->band &&
	       x->part == y->part && x->front == y->front;
}

static struct ledger_row *row_find(struct rows *r, const struct ledger_row *key)
{
	u32 i = row_hash(key) & (r->size - 1);

	while (r->table[i].ns && !row_same(&r->table[i], key))
		i = (i + 1) & (r->size - 1);
	return &r->table[i];
}

static int rows_grow(struct rows *r)
{
	struct rows bigger = {.size = r->size * 2};

	bigger.table = calloc(bigger.size, sizeof(*bigger.table));
	if (!bigger.table)
		return -ENOMEM;
	for (u32 i = 0; i < r->size; i++)
		if (r->table[i].ns)
			*row_find(&bigger, &r->table[i]) = r->table[i];
	free(r->table);
	r->table = bigger.table;
	r->size = bigger.size;
	return 0;
}

static int row_add(struct rows *r, const struct ledger_row *add)
{
	struct ledger_row *row = row_find(r, add);

	if (row->ns) {
		row->ns += add->ns;
		return 0;
	}
	*row = *add;
	return ++r->used * 2 > r->size ? rows_grow(r) : 0;
}

int rows_add(struct analysis *a, enum group g, enum band b, const struct account *acc)
{
	struct rows *r = a->rows;

	a->s->groups[g].band_items[b]++;
	for (u32 i = 0; i < acc->nr_charges; i++) {
		const struct charge *c = &acc->charges[i];
		struct ledger_row row = {c->ns, NONE32, (u8)g, (u8)b, c->part, c->front};

		if (c->culprit == NONE32) {
			r->plain[g][b][c->part][c->front] += c->ns;
			continue;
		}
		row.culprit = culprit_index(a, c);
		if (row.culprit == NONE32 || row_add(r, &row))
			return -ENOMEM;
	}
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct ledger_row *a = x, *b = y;

	if (a->group != b->group)
		return a->group - b->group;
	if (a->band != b->band)
		return a->band - b->band;
	if (a->part != b->part)
		return a->part - b->part;
	if (a->front != b->front)
		return a->front - b->front;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->culprit < b->culprit ? -1 : a->culprit > b->culprit;
}

int rows_settle(struct analysis *a)
{
	struct rows *r = a->rows;
	struct summary *s = a->s;
	u64 *plain = &r->plain[0][0][0][0];

	s->rows = calloc(sizeof(r->plain) / sizeof(u64) + r->used, sizeof(*s->rows));
	if (!s->rows)
		return -ENOMEM;
	for (u32 i = 0; i < sizeof(r->plain) / sizeof(u64); i++) {
		u32 front = i % FRONT_NR, part = i / FRONT_NR % PART_NR;
		u32 band = i / FRONT_NR / PART_NR % BAND_NR,
		    group = i / FRONT_NR / PART_NR / BAND_NR;

		if (plain[i])
			s->rows[s->nr_rows++] = (struct ledger_row){plain[i], NONE32,	(u8)group,
								    (u8)band, (u8)part, (u8)front};
	}
	for (u32 i = 0; i < r->size; i++)
		if (r->table[i].ns)
			s->rows[s->nr_rows++] = r->table[i];
	qsort(s->rows, s->nr_rows, sizeof(*s->rows), by_place);
	return 0;
}
