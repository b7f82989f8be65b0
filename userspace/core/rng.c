/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/rng.h"

#include <math.h>

#define SPLITMIX_GAMMA 0x9e3779b97f4a7c15ull

u64 rng_mix(u64 x)
{
	x += SPLITMIX_GAMMA;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

void rng_init(struct rng *r, u64 seed, u64 stream)
{
	u64 state = rng_mix(rng_mix(seed) + stream);

	for (unsigned int i = 0; i < ARRAY_SIZE(r->s); i++) {
		r->s[i] = rng_mix(state);
		state += SPLITMIX_GAMMA;
	}
}

static u64 rotate_left(u64 x, unsigned int n)
{
	return (x << n) | (x >> (64 - n));
}

u64 rng_u64(struct rng *r)
{
	u64 result = rotate_left(r->s[1] * 5, 7) * 9;
	u64 shifted = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= shifted;
	r->s[3] = rotate_left(r->s[3], 45);
	return result;
}

double rng_double(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire, "Fast random integer generation in an interval" (2019): reject the short last stretch. */
u32 rng_below(struct rng *r, u32 n)
{
	u32 reject = -n % n;
	u64 product;

	do {
		product = (rng_u64(r) >> 32) * n;
	} while ((u32)product < reject);
	return (u32)(product >> 32);
}

double rng_exponential(struct rng *r)
{
	return -log1p(-rng_double(r));
}

/* Box and Muller (1958); the second of the pair is not kept, so a draw depends on nothing before.
 */
double rng_normal(struct rng *r)
{
	double radius = sqrt(2 * rng_exponential(r));

	return radius * cos(2 * M_PI * rng_double(r));
}
