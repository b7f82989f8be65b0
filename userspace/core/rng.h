/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers: the same on every machine for the same seed. The generator is
 * xoshiro256**, seeded by splitmix64 (Blackman and Vigna, prng.di.unimi.it).
 */
#ifndef HOLBENCH_CORE_RNG_H
#define HOLBENCH_CORE_RNG_H

#include "core/types.h"

/* What a stream of numbers is drawn for. Numbers of the same seed and use are the same for ever:
 * append only. */
enum rng_use {
	RNG_ARRIVAL,
	RNG_PICK,
	RNG_COLD,
	RNG_COST,
	RNG_CALL,
	RNG_NULL,
	RNG_DISPATCH,
};

struct rng {
	u64 s[4];
};

/* Independent streams of one seed: `use` (enum rng_use) keeps e.g. costs the same when the arrival
 * process changes. */
void rng_init(struct rng *r, u64 seed, u64 use);
u64 rng_u64(struct rng *r);
/* Uniform in [0, 1). */
double rng_double(struct rng *r);
/* Uniform in [0, n), without modulo bias; n > 0. */
u32 rng_below(struct rng *r, u32 n);
/* Exponential with mean 1. */
double rng_exponential(struct rng *r);
/* Normal with mean 0 and variance 1. */
double rng_normal(struct rng *r);
/* A well mixed 64-bit hash of x (the output of splitmix64 in state x): what `hash = mix` means. */
u64 rng_mix(u64 x);

#endif
