/* SPDX-License-Identifier: GPL-2.0-only */
/* A run in a process of its own, and what it tells its parent through a pipe. */
#ifndef HOLBENCH_CHILD_H
#define HOLBENCH_CHILD_H

#include "spec/spec.h"

#include <sys/types.h>

enum child_message_kind {
	CHILD_PROGRESS = 1,
	CHILD_ERROR = 2, /* the last one */
};

/* Below PIPE_BUF: a message is whole or not there. */
struct child_message {
	u32 kind;	 /* enum child_message_kind */
	int error;	 /* negative errno */
	u64 done, total; /* items */
	char text[480];
};

struct child_config {
	const struct spec *spec;
	u32 cell, repeat;
	u32 engine; /* enum trace_engine */
	bool probe;
	const char *path;      /* of the trace */
	const char *noise_log; /* for the output of noise.command */
};

struct child {
	pid_t pid; /* 0: none */
	int fd;	   /* messages; end of file when the child has ended */
	u32 cell, repeat;
	char group[64]; /* what its cgroups are called, should it leave any; "": not known */
};

/*
 * 0 or a negative errno. The child dies with its parent; SIGINT and SIGTERM end it in order. During
 * a live run the caller is pinned away from the workers' CPUs: give it its CPUs back before the
 * next.
 */
int child_start(struct child *c, const struct child_config *cfg);
/* The next message: 1; 0: none now; -1: there will be no more. */
int child_read(const struct child *c, struct child_message *m);
/*
 * After the last message, which `last` is: how the run ended. 0, or a negative errno with the line;
 * -EINTR when a signal ended it.
 */
int child_wait(struct child *c, const struct child_message *last, char *err, size_t err_len);

#endif
