/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/slot_logs.h"

#include <errno.h>
#include <stdlib.h>

static int make_room(struct slot_logs *s)
{
	u32 size = s->size ? 2 * s->size : 1024;
	struct slot_record *records;

	if (s->nr < s->size)
		return 0;
	records = realloc(s->records, size * sizeof(*records));
	if (!records)
		return -ENOMEM;
	s->records = records;
	s->size = size;
	return 0;
}

/* No more than the ring holds: see drain_log(). */
int slot_logs_take(struct slot_logs *s, struct thread_log *log, u32 slot)
{
	const struct record *rec;

	for (u64 n = 0; n <= log->mask && (rec = thread_log_peek(log)); n++) {
		if (make_room(s))
			return -ENOMEM;
		s->records[s->nr] = (struct slot_record){*rec, slot, s->nr};
		s->nr++;
		thread_log_pop(log);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct slot_record *x = a, *y = b;

	if (x->rec.time_ns != y->rec.time_ns)
		return x->rec.time_ns < y->rec.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void slot_logs_sort(struct slot_logs *s)
{
	if (s->nr)
		qsort(s->records, s->nr, sizeof(*s->records), compare);
}

u32 slot_logs_stream(struct slot_logs *s, u64 time_ns)
{
	for (u32 i = 0; i < SLOT_STREAMS; i++) {
		if (s->last_ns[i] > time_ns)
			continue;
		s->last_ns[i] = time_ns;
		return i;
	}
	s->lost++;
	return NONE32;
}

void slot_logs_fini(struct slot_logs *s)
{
	free(s->records);
	*s = (struct slot_logs){0};
}
