/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/job.h"

#include <stdlib.h>

#define SLAB_JOBS 64

struct job_slab {
	struct job_slab *next;
	struct job jobs[SLAB_JOBS];
};

static int grow(struct job_pool *p)
{
	struct job_slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return -1;
	slab->next = p->slabs;
	p->slabs = slab;
	p->made += SLAB_JOBS;
	for (u32 i = SLAB_JOBS; i--;)
		job_put(p, &slab->jobs[i]);
	return 0;
}

struct job *job_get(struct job_pool *p)
{
	struct job *j;

	if (!p->free && grow(p))
		return NULL;
	j = p->free;
	p->free = j->next;
	return j;
}

void job_put(struct job_pool *p, struct job *j)
{
	j->next = p->free;
	p->free = j;
}

void job_pool_fini(struct job_pool *p)
{
	for (struct job_slab *slab = p->slabs, *next; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	*p = (struct job_pool){0};
}

void job_push(struct job_list *l, struct job *j)
{
	j->next = NULL;
	j->prev = l->tail;
	if (l->tail)
		l->tail->next = j;
	else
		l->head = j;
	l->tail = j;
}

void job_remove(struct job_list *l, struct job *j)
{
	if (j->prev)
		j->prev->next = j->next;
	else
		l->head = j->next;
	if (j->next)
		j->next->prev = j->prev;
	else
		l->tail = j->prev;
}

struct job *job_pop(struct job_list *l)
{
	struct job *j = l->head;

	if (j)
		job_remove(l, j);
	return j;
}
