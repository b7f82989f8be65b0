// SPDX-License-Identifier: GPL-2.0-only
/* The writer's tables. Rows wait in a buffer until the next block of events, a flush or the end. */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 256u
/* Rows leave when this much waits: the rest of the buffer takes the longest row. */
#define TABLE_FLUSH_BYTES (TRACE_TABLE_MAX_BYTES / 2)
_Static_assert(2 * (TRACE_NAME_MAX + VARINT_MAX) < TABLE_FLUSH_BYTES, "a row fits the rest");

int table_flush(struct trace_writer *w, enum trace_block_type type)
{
	struct out_table *t = &w->rows[type];
	struct trace_block_header h = {
		.type = (u8)type, .count = t->count, .raw_bytes = (u32)t->used};

	if (w->error || !t->count)
		return w->error;
	t->used = 0;
	t->count = 0;
	return output_block(w, &h, t->buf);
}

int tables_flush(struct trace_writer *w)
{
	for (enum trace_block_type type = BLOCK_TASKS; type <= BLOCK_NOTES; type++)
		table_flush(w, type);
	return w->error;
}

/* Where the next row of a table goes; NULL with the error set. */
static u8 *row_begin(struct trace_writer *w, enum trace_block_type type)
{
	struct out_table *t = &w->rows[type];

	if (t->used >= TABLE_FLUSH_BYTES)
		table_flush(w, type);
	if (!t->buf && !w->error) {
		t->buf = malloc(TRACE_TABLE_MAX_BYTES);
		if (!t->buf)
			writer_fail(w, -ENOMEM);
	}
	return w->error ? NULL : t->buf + t->used;
}

static void row_end(struct trace_writer *w, enum trace_block_type type, const u8 *at)
{
	struct out_table *t = &w->rows[type];

	t->used = (size_t)(at - t->buf);
	t->count++;
}

static u8 *put_bytes(u8 *at, const char *text, size_t len)
{
	at = put_varint(at, len);
	memcpy(at, text, len);
	return at + len;
}

int trace_cgroup(struct trace_writer *w, u64 id, const char *path)
{
	size_t len = strlen(path);
	u8 *at;

	if (w->error || len > TRACE_NAME_MAX)
		return writer_fail(w, -ENAMETOOLONG);
	at = row_begin(w, BLOCK_CGROUPS);
	if (!at)
		return w->error;
	at = put_varint(at, id);
	row_end(w, BLOCK_CGROUPS, put_bytes(at, path, len));
	return 0;
}

int trace_note(struct trace_writer *w, const char *name, const char *value)
{
	size_t name_len = strlen(name), value_len = strlen(value);
	u8 *at;

	if (w->error || name_len > TRACE_NAME_MAX || value_len > TRACE_NAME_MAX)
		return writer_fail(w, -ENAMETOOLONG);
	at = row_begin(w, BLOCK_NOTES);
	if (!at)
		return w->error;
	at = put_bytes(at, name, name_len);
	row_end(w, BLOCK_NOTES, put_bytes(at, value, value_len));
	return 0;
}

/* The finalizer of splitmix64: every bit of the input moves every bit of the output. */
static u64 mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static u32 task_hash(const struct task *t)
{
	u64 comm[2];

	memcpy(comm, t->comm, sizeof(comm));
	return (u32)mix(mix(mix(((u64)t->worker << 32 | t->tid) ^ comm[0]) ^ comm[1]) ^ t->cgroup ^
			(u64)t->class << 56);
}

static bool task_same(const struct task *a, const struct task *b)
{
	return a->tid == b->tid && a->worker == b->worker && a->class == b->class &&
	       a->cgroup == b->cgroup && !memcmp(a->comm, b->comm, sizeof(a->comm));
}

/* The slot of the task, or the empty one where it belongs. */
static u32 *task_slot(const struct task_table *t, const struct task *task)
{
	u32 i = task_hash(task) & (t->nr_slots - 1);

	while (t->slots[i] && !task_same(&t->tasks[t->slots[i] - 1], task))
		i = (i + 1) & (t->nr_slots - 1);
	return &t->slots[i];
}

/* Twice the slots, and room for half as many tasks. 0 or -ENOMEM with the table as it was. */
static int task_table_grow(struct task_table *t)
{
	u32 nr_slots = t->nr_slots ? t->nr_slots * 2 : SLOTS_FIRST;
	u32 *slots = calloc(nr_slots, sizeof(*slots));
	struct task *tasks = realloc(t->tasks, nr_slots / 2 * sizeof(*tasks));

	if (tasks)
		t->tasks = tasks;
	if (!slots || !tasks) {
		free(slots);
		return -ENOMEM;
	}
	free(t->slots);
	t->slots = slots;
	t->nr_slots = nr_slots;
	t->room = nr_slots / 2;
	for (u32 i = 0; i < t->nr; i++)
		*task_slot(t, &t->tasks[i]) = i + 1;
	return 0;
}

static int task_add(struct trace_writer *w, const struct task *task)
{
	struct task_table *t = &w->tasks;
	int err = 0;
	u8 *at;

	if (t->nr == TRACE_TASKS_MAX)
		return writer_fail(w, -E2BIG);
	if (t->nr == t->room)
		err = task_table_grow(t);
	if (err)
		return writer_fail(w, err);
	at = row_begin(w, BLOCK_TASKS);
	if (!at)
		return w->error;
	at = put_varint(at, task->tid);
	at = put_varint(at, task->worker == NONE32 ? 0 : (u64)task->worker + 1);
	at = put_varint(at, task->class);
	at = put_varint(at, task->cgroup);
	row_end(w, BLOCK_TASKS, put_bytes(at, task->comm, strlen(task->comm)));
	t->tasks[t->nr++] = *task;
	*task_slot(t, task) = t->nr;
	w->limits.tasks = t->tasks;
	w->limits.nr_tasks = t->nr;
	return 0;
}

u32 trace_task(struct trace_writer *w, const struct task *t)
{
	struct task task = {
		.tid = t->tid, .worker = t->worker, .class = t->class, .cgroup = t->cgroup};
	u32 slot;

	if (w->error)
		return NONE32;
	if ((task.worker >= w->limits.workers && task.worker != NONE32) ||
	    task.class > TASK_INTERRUPT) {
		writer_fail(w, -EINVAL);
		return NONE32;
	}
	/* What stands after the end mark is no part of the name. */
	memcpy(task.comm, t->comm, strnlen(t->comm, TRACE_COMM_MAX));
	slot = w->tasks.nr_slots ? *task_slot(&w->tasks, &task) : 0;
	if (slot)
		return slot - 1;
	return task_add(w, &task) ? NONE32 : w->tasks.nr - 1;
}

void tables_free(struct trace_writer *w)
{
	for (u32 type = 0; type < ARRAY_SIZE(w->rows); type++)
		free(w->rows[type].buf);
	free(w->tasks.tasks);
	free(w->tasks.slots);
}
