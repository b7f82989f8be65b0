/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash table with open addressing over one growing text; at most three quarters are full. */
#include "spec/names.h"

#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

struct names {
	char *text; /* the names, each with its end mark */
	size_t len, text_size;
	u64 *begins; /* of each name in the text */
	u32 nr, size;
	u32 *slots; /* a number, or NONE32 */
	u32 mask;   /* slots - 1 */
};

#define SLOTS_FIRST 256

static u32 *new_slots(u32 count)
{
	u32 *slots = malloc(count * sizeof(*slots));

	if (slots)
		memset(slots, 0xff, count * sizeof(*slots));
	return slots;
}

struct names *names_new(void)
{
	struct names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->slots = new_slots(SLOTS_FIRST);
	n->mask = SLOTS_FIRST - 1;
	if (n->slots)
		return n;
	free(n);
	return NULL;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	free(n->text);
	free(n->begins);
	free(n->slots);
	free(n);
}

static u64 hash(const char *text)
{
	u64 h = 0;

	for (; *text; text++)
		h = (h ^ (u8)*text) * 0x100000001b3ull; /* FNV-1a */
	return rng_mix(h);
}

/* Where the text is, or where it would go. */
static u32 *find(const struct names *n, const char *text)
{
	u32 i = (u32)hash(text) & n->mask;

	while (n->slots[i] != NONE32 && strcmp(names_nth(n, n->slots[i]), text))
		i = (i + 1) & n->mask;
	return &n->slots[i];
}

static bool grow_slots(struct names *n)
{
	u32 *old = n->slots;

	n->slots = new_slots(2 * (n->mask + 1));
	if (!n->slots) {
		n->slots = old;
		return false;
	}
	n->mask = 2 * n->mask + 1;
	for (u32 i = 0; i < n->nr; i++)
		*find(n, names_nth(n, i)) = i;
	free(old);
	return true;
}

static bool grow_text(struct names *n, size_t more)
{
	size_t size = n->text_size ? n->text_size : 4096;
	char *text;

	while (size - n->len < more)
		size *= 2;
	text = realloc(n->text, size);
	if (text) {
		n->text = text;
		n->text_size = size;
	}
	return text != NULL;
}

static bool grow_begins(struct names *n)
{
	u32 size = n->size ? 2 * n->size : 256;
	u64 *begins = realloc(n->begins, size * sizeof(*begins));

	if (begins) {
		n->begins = begins;
		n->size = size;
	}
	return begins != NULL;
}

u32 names_number(struct names *n, const char *text)
{
	u32 *slot = find(n, text);
	size_t len = strlen(text) + 1;

	if (*slot != NONE32)
		return *slot;
	if (n->text_size - n->len < len && !grow_text(n, len))
		return NONE32;
	if (n->nr == n->size && !grow_begins(n))
		return NONE32;
	if (n->nr >= n->mask / 4 * 3 && !grow_slots(n))
		return NONE32;
	*find(n, text) = n->nr;
	n->begins[n->nr] = n->len;
	memcpy(n->text + n->len, text, len);
	n->len += len;
	return n->nr++;
}

u32 names_count(const struct names *n)
{
	return n->nr;
}

const char *names_nth(const struct names *n, u32 i)
{
	return n->text + n->begins[i];
}
