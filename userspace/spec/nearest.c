// SPDX-License-Identifier: GPL-2.0-only
/* "Did you mean": the name with the smallest edit distance. */
#include "spec/options.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_LEN 32

static u32 min3(u32 a, u32 b, u32 c)
{
	u32 m = a < b ? a : b;

	return m < c ? m : c;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours.
 * Long texts are never near.
 */
static u32 distance(const char *a, const char *b)
{
	u32 d[NAME_MAX_LEN + 1][NAME_MAX_LEN + 1];
	u32 la = (u32)strlen(a), lb = (u32)strlen(b);

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (u32 i = 0; i <= la; i++)
		d[i][0] = i;
	for (u32 j = 0; j <= lb; j++)
		d[0][j] = j;
	for (u32 i = 1; i <= la; i++) {
		for (u32 j = 1; j <= lb; j++) {
			u32 cost = !same(a[i - 1], b[j - 1]);

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) && d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

/* A third of the letters may be wrong; what the text is the beginning of is near as well. */
static bool near_enough(const char *text, const char *name, u32 d)
{
	size_t len = strlen(text);

	return (len >= 3 && !strncasecmp(name, text, len)) || d <= (len < 4 ? 1 : len / 3);
}

const char *nearest_name(const char *text, const char *(*nth)(const void *ctx, u32 i),
			 const void *ctx)
{
	const char *best = NULL, *name;
	u32 best_distance = UINT32_MAX;

	for (u32 i = 0; (name = nth(ctx, i)); i++) {
		u32 d = distance(text, name);

		if (d < best_distance && near_enough(text, name, d)) {
			best = name;
			best_distance = d;
		}
	}
	return best;
}
