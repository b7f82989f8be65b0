/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/probe_trial.h"
#include "live/probe_error.h"
#include "live/probe_kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The generated skeleton calls its own type `struct probe`. */
#define probe probe_skel
#include "probe.skel.h"
#undef probe

#define LOG_BYTES (64 * 1024u)
#define SECTION	  "tp_btf/"

struct trial {
	struct probe_kernel kernel;
	struct probe_skel *skel;
	char log[LOG_BYTES];
};

static const char *tracepoint_of(const struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog);
	size_t len = strlen(SECTION);

	return strncmp(section, SECTION, len) ? "" : section + len;
}

static bool is_absent(const struct trial *t, const struct bpf_program *prog)
{
	const char *tracepoint = tracepoint_of(prog);

	return *tracepoint && !probe_kernel_has(&t->kernel, tracepoint);
}

/* Load and attach the programs that this kernel can have, or of them only the one called `only`. */
static int load(struct trial *t, const char *only)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = t->log,
		    .kernel_log_size = sizeof(t->log));
	struct bpf_program *prog;
	int rc;

	t->log[0] = 0;
	t->skel = probe__open_opts(&opts);
	if (!t->skel)
		return -errno;
	t->skel->rodata->switch_has_state = t->kernel.switch_has_state;
	t->skel->rodata->cpu_on_v1 = t->kernel.cpu_on_v1;
	bpf_map__set_max_entries(t->skel->maps.ring, (u32)sysconf(_SC_PAGESIZE));
	bpf_program__set_autoattach(t->skel->progs.mark_current, false);
	bpf_object__for_each_program(prog, t->skel->obj)
	{
		const char *name = bpf_program__name(prog);

		if (is_absent(t, prog) || (only && strcmp(only, name)))
			bpf_program__set_autoload(prog, false);
	}
	rc = probe__load(t->skel);
	return rc ? rc : probe__attach(t->skel);
}

static void drop(struct trial *t)
{
	probe__destroy(t->skel);
	t->skel = NULL;
}

/* No program got as far as the verifier, so that none has a reason of its own. */
static bool is_forbidden(struct trial *t, int error)
{
	return (error == -EPERM || error == -EACCES || error == -ENOSYS) &&
	       !*probe_log_reason(t->log);
}

static void try_one(struct trial *t, struct probe_trial *result)
{
	const char *why;

	result->error = load(t, result->program);
	drop(t);
	why = probe_log_reason(t->log);
	result->why = !result->error ? "" : *why ? why : strerror(-result->error);
}

/* The names are those of an object of its own: the tried ones come and go. */
static void try_all(struct trial *t, bool each, void (*tell)(void *ctx, const struct probe_trial *),
		    void *ctx)
{
	struct probe_skel *names = probe__open();
	struct bpf_program *prog;

	if (!names)
		return;
	bpf_object__for_each_program(prog, names->obj)
	{
		struct probe_trial result = {.program = bpf_program__name(prog),
					     .tracepoint = tracepoint_of(prog),
					     .absent = is_absent(t, prog),
					     .why = ""};

		if (each && !result.absent)
			try_one(t, &result);
		tell(ctx, &result);
	}
	probe__destroy(names);
}

int probe_try(void (*tell)(void *ctx, const struct probe_trial *t), void *ctx, char *err,
	      size_t err_len)
{
	struct trial *t = calloc(1, sizeof(*t));
	int rc = -ENOMEM;

	snprintf(err, err_len, "probe: out of memory: end other programs, then run again");
	if (!t)
		return rc;
	probe_libbpf_output();
	rc = probe_files(err, err_len);
	if (!rc)
		rc = probe_kernel_read(&t->kernel, err, err_len);
	if (!rc) {
		int error = load(t, NULL);

		drop(t);
		if (is_forbidden(t, error)) {
			rc = error;
			snprintf(err, err_len, "the kernel lets this process load none: %s",
				 strerror(-rc));
		} else {
			try_all(t, error != 0, tell, ctx);
		}
	}
	probe_kernel_drop(&t->kernel);
	free(t);
	return rc;
}
