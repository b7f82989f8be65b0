/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unsigned LEB128: seven bits a byte, least significant first, the high bit says that more follow;
 * at most ten bytes. Signed numbers are zigzagged first (0 -1 1 -2 … → 0 1 2 3 …).
 *
 * A cursor reads from memory that goes on for at least VARINT_SLACK zero bytes past its end, so
 * that one record can be read without a test at each byte; the caller tests cursor_ok() after each
 * record. Every record between two tests is shorter than the slack.
 */
#ifndef HOLBENCH_TRACE_VARINT_H
#define HOLBENCH_TRACE_VARINT_H

#include "core/types.h"

#define VARINT_MAX   10u
#define VARINT_SLACK 256u

struct cursor {
	const u8 *at, *end;
	bool bad; /* a number did not fit its type */
};

static inline bool cursor_ok(const struct cursor *c)
{
	return !c->bad && c->at <= c->end;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->at < c->end ? (size_t)(c->end - c->at) : 0;
}

static inline u8 *put_varint(u8 *at, u64 value)
{
	while (value >= 0x80) {
		*at++ = (u8)(value | 0x80);
		value >>= 7;
	}
	*at++ = (u8)value;
	return at;
}

static inline u64 get_varint(struct cursor *c)
{
	u64 byte = *c->at++;
	u64 value = byte & 0x7f;

	for (u32 shift = 7; byte & 0x80; shift += 7) {
		if (shift > 63) {
			c->bad = true;
			return 0;
		}
		byte = *c->at++;
		value |= (byte & 0x7f) << shift;
		if (shift == 63 && byte > 1)
			c->bad = true;
	}
	return value;
}

static inline u32 get_varint32(struct cursor *c)
{
	u64 value = get_varint(c);

	if (value > UINT32_MAX)
		c->bad = true;
	return (u32)value;
}

/* The difference of two numbers modulo 2^64, small in either direction: few bytes. */
static inline u8 *put_delta(u8 *at, u64 value, u64 from)
{
	u64 delta = value - from;

	return put_varint(at, (delta << 1) ^ (0 - (delta >> 63)));
}

static inline u64 get_delta(struct cursor *c, u64 from)
{
	u64 z = get_varint(c);

	return from + ((z >> 1) ^ (0 - (z & 1)));
}

#endif
