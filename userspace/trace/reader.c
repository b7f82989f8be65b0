// SPDX-License-Identifier: GPL-2.0-only
/* The reader: its life, and what it says about a file. */
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *array_grow(void *array, u32 nr, u32 *room, size_t size)
{
	u32 wanted = *room ? *room * 2 : 16;

	if (nr < *room)
		return array;
	if (wanted < *room)
		return NULL;
	array = reallocarray(array, wanted, size);
	if (array)
		*room = wanted;
	return array;
}

void reader_damage(struct trace_reader *r, u64 offset, const char *what)
{
	struct trace_damage *d = &r->damage;

	if (d->damaged && d->offset <= offset)
		return;
	d->damaged = true;
	d->offset = offset;
	snprintf(d->text, sizeof(d->text),
		 "%s at byte %" PRIu64 ": %s; what stands before it is given; run the cell again",
		 d->incomplete ? "incomplete, ends" : "damaged", offset, what);
}

/* An incomplete file that ends at a block has no damage to describe. */
static void describe_incomplete(struct trace_damage *d)
{
	if (!d->incomplete || d->damaged)
		return;
	snprintf(d->text, sizeof(d->text),
		 "incomplete, ends at byte %" PRIu64
		 ": its writer did not finish; what it wrote is given; run the cell again",
		 d->offset);
}

static int reader_buffers(struct trace_reader *r)
{
	r->zstd = ZSTD_createDCtx();
	r->streams = calloc(r->nr_streams, sizeof(*r->streams));
	r->heap = calloc(r->nr_streams, sizeof(*r->heap));
	if (!r->zstd || !r->streams || !r->heap)
		return -ENOMEM;
	for (u32 i = 0; i < r->nr_streams; i++)
		r->streams[i].first = NONE32;
	return 0;
}

static int reader_scan(struct trace_reader *r, const char *path, char *err, size_t err_len)
{
	int ret = scan_header(r, path, err, err_len);

	if (!ret)
		ret = reader_buffers(r);
	if (!ret)
		ret = scan_blocks(r);
	if (!ret && !r->spec)
		r->spec = strdup("");
	if (!ret && !r->spec)
		ret = -ENOMEM;
	if (ret)
		return ret;
	r->limits = (struct codec_limits){.workers = r->info.workers,
					  .keys = r->info.keys,
					  .nr_tasks = r->nr_tasks,
					  .tasks = r->tasks};
	describe_incomplete(&r->damage);
	return trace_rewind(r, TRACE_ALL);
}

int trace_open(struct trace_reader **out, const char *path, char *err, size_t err_len)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	*out = NULL;
	err[0] = '\0';
	if (r) {
		/* O_NONBLOCK: a FIFO is refused, not waited for. */
		r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ret = r->fd < 0 ? -errno : reader_scan(r, path, err, err_len);
	}
	if (!ret) {
		*out = r;
		return 0;
	}
	if (!err[0])
		snprintf(err, err_len, "%s: cannot read the trace: %s", path, strerror(-ret));
	trace_reader_free(r);
	return ret;
}

static void names_free(struct name_ref *names, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		free(names[i].name);
		free(names[i].value);
	}
	free(names);
}

void trace_reader_free(struct trace_reader *r)
{
	if (!r)
		return;
	for (u32 i = 0; r->streams && i < r->nr_streams; i++)
		free(r->streams[i].raw);
	free(r->streams);
	free(r->heap);
	free(r->blocks);
	free(r->spec);
	free(r->tasks);
	names_free(r->cgroups, r->nr_cgroups);
	names_free(r->notes, r->nr_notes);
	ZSTD_freeDCtx(r->zstd);
	free(r->stored);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

const struct trace_info *trace_info(const struct trace_reader *r)
{
	return &r->info;
}

const char *trace_spec(const struct trace_reader *r)
{
	return r->spec;
}

const struct trace_damage *trace_damage(const struct trace_reader *r)
{
	return &r->damage;
}

u32 trace_nr_tasks(const struct trace_reader *r)
{
	return r->nr_tasks;
}

const struct task *trace_tasks(const struct trace_reader *r)
{
	return r->tasks;
}

const char *trace_cgroup_path(const struct trace_reader *r, u64 id)
{
	for (u32 i = r->nr_cgroups; i-- > 0;) {
		if (r->cgroups[i].id == id)
			return r->cgroups[i].value;
	}
	return NULL;
}

bool trace_nth_note(const struct trace_reader *r, u32 i, const char **name, const char **value)
{
	if (i >= r->nr_notes)
		return false;
	*name = r->notes[i].name;
	*value = r->notes[i].value;
	return true;
}

void trace_set_stop(struct trace_reader *r, bool (*stop)(void *ctx), void *ctx)
{
	r->stop = stop;
	r->stop_ctx = ctx;
}
