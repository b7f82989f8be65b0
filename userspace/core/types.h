/* SPDX-License-Identifier: GPL-2.0-only */
/* The integer names and the few constants that every room uses. Times are u64 nanoseconds (…_ns).
 */
#ifndef HOLBENCH_CORE_TYPES_H
#define HOLBENCH_CORE_TYPES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define NSEC_PER_USEC 1000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_SEC  1000000000ull

/* "No worker", "no queue", "no task", "no item": indices are dense from 0, so the top value is
 * free. */
#define NONE32 UINT32_MAX
/* "Never" as a point in time. */
#define NEVER_NS UINT64_MAX

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

#endif
