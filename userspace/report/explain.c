/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/explain.h"

#include "spec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pass {
	struct explain_list *l;
	const struct explain_query *q;
	struct trace_reader *r;
	struct spec spec; /* scaled */
	u8 *class;	  /* owned: per key */
	u64 counted_from;
};

u64 explained_latency(const struct explained *e)
{
	return e->account.done_ns - e->account.due_ns;
}

u64 explained_part(const struct explained *e, enum part p)
{
	u64 ns = 0;

	for (u32 i = 0; i < e->account.nr_charges; i++)
		if (e->charges[i].part == p)
			ns += e->charges[i].ns;
	return ns;
}

u64 explained_sum(const struct explained *e)
{
	u64 ns = 0;

	for (u32 p = 0; p < PART_NR; p++)
		ns += explained_part(e, (enum part)p);
	return ns;
}

static void explained_free(struct explained *e)
{
	for (u32 i = 0; e->names && i < e->account.nr_charges; i++)
		free(e->names[i]);
	free(e->names);
	free(e->charges);
}

void explain_free(struct explain_list *l)
{
	for (u32 i = 0; i < l->nr; i++)
		explained_free(&l->list[i]);
	free(l->list);
	*l = (struct explain_list){0};
}

static bool in_group(u8 class, enum group g)
{
	switch (g) {
	case GROUP_HOT:
		return class == CLASS_HOT;
	case GROUP_NEIGHBOUR:
		return class == CLASS_NEIGHBOUR;
	case GROUP_FAR:
		return class == CLASS_FAR;
	case GROUP_VICTIM:
		return class != CLASS_HOT;
	default:
		return true;
	}
}

static bool wanted(const struct pass *p, const struct account *a)
{
	const struct explain_list *l = p->l;

	if (p->q->one)
		return a->item == p->q->item;
	if (a->due_ns < p->counted_from || !in_group(p->class[a->key], p -> q -> group))
		return false;
	return l->nr < p->q->worst ||
	       a->done_ns - a->due_ns > explained_latency(&l->list[l->nr - 1]);
}

/* Room for one more; a full list loses its fastest. */
static int make_room(struct pass *p)
{
	struct explain_list *l = p->l;
	struct explained *list;

	if (!p->q->one && l->nr == p->q->worst) {
		explained_free(&l->list[--l->nr]);
		return 0;
	}
	if (l->nr < l->cap)
		return 0;
	list = realloc(l->list, (l->cap * 2 + 8) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	l->list = list;
	l->cap = l->cap * 2 + 8;
	return 0;
}

static char *name_culprit(const struct pass *p, const struct charge *c)
{
	char buf[256];
	const char *name = charge_culprit(buf, sizeof(buf), c, &p->spec, p->r, true);

	return name ? strdup(name) : NULL;
}

static int copy(struct explained *e, const struct pass *p, const struct account *a)
{
	const struct trace_info *info = trace_info(p->r);
	bool ok = true;

	*e = (struct explained){.account = *a,
				.design = p->spec.design->name,
				.class = p->class[a->key],
				.hot_items =
					p->spec.workload.hot_keys && p->spec.workload.hot_share > 0,
				.probe = info->probe,
				.simulated = info->engine == TRACE_SIM,
				.cell = info->cell,
				.repeat = info->repeat};
	e->charges = calloc(a->nr_charges + 1, sizeof(*e->charges));
	e->names = calloc(a->nr_charges + 1, sizeof(*e->names));
	ok = e->charges && e->names;
	for (u32 i = 0; ok && i < a->nr_charges; i++) {
		e->charges[i] = a->charges[i];
		e->names[i] = name_culprit(p, &a->charges[i]);
		ok = e->names[i] || a->charges[i].culprit == NONE32;
	}
	e->account.charges = e->charges;
	if (ok)
		return 0;
	explained_free(e);
	return -ENOMEM;
}

static int take_account(void *ctx, const struct account *a)
{
	struct pass *p = ctx;
	struct explain_list *l = p->l;
	struct explained e;
	u32 at;
	int rc;

	if (!wanted(p, a))
		return 0;
	rc = copy(&e, p, a);
	if (rc)
		return rc;
	rc = make_room(p);
	if (rc) {
		explained_free(&e);
		return rc;
	}
	for (at = l->nr; at > 0 && explained_latency(&l->list[at - 1]) < explained_latency(&e);
	     at--)
		l->list[at] = l->list[at - 1];
	l->list[at] = e;
	l->nr++;
	return 0;
}

static int pass_init(struct pass *p, char *err, size_t err_len)
{
	const struct trace_info *info = trace_info(p->r);
	struct home_config cfg;
	struct spec_error e;
	struct grid *grid;
	u32 *home;
	int rc = grid_parse(&grid, trace_spec(p->r), "the trace's spec", &e);

	if (rc) {
		snprintf(err, err_len, "%s", e.text);
		return rc;
	}
	p->spec = spec_scaled(grid_cell(grid, 0));
	grid_free(grid);
	if (info->keys != workload_keys(&p->spec.workload)) {
		snprintf(err, err_len, "the trace's header and its spec disagree about keys");
		return -EINVAL;
	}
	p->counted_from = info->base_ns + p->spec.run.warmup_ns;
	cfg = spec_home(&p->spec);
	home = calloc(info->keys, sizeof(*home));
	p->class = malloc(info->keys);
	rc = home && p->class ? home_assign(home, &cfg) : -ENOMEM;
	if (!rc)
		rc = home_classify(p->class, home, &cfg);
	free(home);
	return rc;
}

static int pass_read(struct pass *p)
{
	struct ledger_config cfg = ledger_config_of(&p->spec, p->r);
	struct event_sink sink = {ledger_take, NULL};
	struct ledger *ledger;
	int rc;

	cfg.named_keys = cfg.keys; /* an account is short */
	cfg.item = take_account;
	cfg.ctx = p;
	rc = ledger_new(&ledger, &cfg);
	if (rc)
		return rc;
	sink.ctx = ledger;
	rc = trace_rewind(p->r, TRACE_ALL);
	if (!rc)
		rc = trace_read(p->r, &sink);
	ledger_free(ledger);
	return rc;
}

int explain_trace(struct explain_list *l, const struct explain_query *q, struct trace_reader *r,
		  char *err, size_t err_len)
{
	struct pass p = {.l = l, .q = q, .r = r};
	int rc;

	err[0] = '\0';
	rc = pass_init(&p, err, err_len);
	if (!rc)
		rc = pass_read(&p);
	if (rc && !err[0])
		snprintf(err, err_len, "cannot analyse the trace: %s", strerror(-rc));
	free(p.class);
	return rc;
}
