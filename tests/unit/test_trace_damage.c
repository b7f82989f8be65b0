// SPDX-License-Identifier: GPL-2.0-only
/* The trace's reader on files that are cut, flipped and made up: never a wrong event, never a
 * crash. */
#include "test_trace.h"
#include "trace/block.h"
#include "trace/codec.h"

#include <sys/mman.h>
#include <zstd.h>

/* The file under test lives in memory: there are many thousands of it. */
static int image_fd;
static char image_path[64];

/* A whole file in memory, and what it holds: stream s has the events whose time is s modulo 3. */
struct sample {
	u8 *bytes;
	size_t len;
	struct t_events truth[3];
};

static void sample_events(struct sample *s, struct trace_writer *w)
{
	u64 state = 77;

	for (u64 i = 0; i < 90; i++) {
		u32 stream = (u32)(t_random(&state) % 3);
		struct event ev = t_any_event(&state, i * 3000 + stream);

		trace_write(w, stream, &ev);
		t_take(&s->truth[stream], &ev);
		if (i % 30 == 29)
			trace_flush(w);
		if (i == 40)
			trace_note(w, "warning", "in the middle");
	}
}

static void sample_init(struct sample *s, bool complete)
{
	struct trace_writer *w = t_create(3);
	struct stat st;
	int fd;

	*s = (struct sample){0};
	t_add_tasks(w);
	trace_cgroup(w, 1, "/holbench");
	sample_events(s, w);
	trace_close(w, complete);
	fd = open(t_path, O_RDONLY);
	fstat(fd, &st);
	s->len = (size_t)st.st_size;
	s->bytes = malloc(s->len);
	CHECK(pread_all(fd, s->bytes, s->len, 0) == 0, "a sample of %zu bytes", s->len);
	close(fd);
}

static void sample_free(struct sample *s)
{
	free(s->bytes);
	for (u32 i = 0; i < 3; i++)
		free(s->truth[i].v);
}

static void image_init(void)
{
	image_fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(image_path, sizeof(image_path), "/proc/self/fd/%d", image_fd);
}

static void put_file(const u8 *bytes, size_t len)
{
	if (ftruncate(image_fd, (off_t)len) || pwrite_all(image_fd, bytes, len, 0)) {
		printf("Bail out! cannot write a file in memory\n");
		exit(1);
	}
}

struct attempt {
	bool refused, detected, prefix;
	u64 offset;
	u32 nr;
};

static bool is_prefix(const struct sample *s, const struct t_events *got)
{
	u32 nr[3] = {0};

	for (u32 i = 0; i < got->nr; i++) {
		u32 stream = (u32)(got->v[i].time_ns % 3);
		const struct t_events *truth = &s->truth[stream];

		if (nr[stream] == truth->nr || !t_same(&got->v[i], &truth->v[nr[stream]++]))
			return false;
	}
	return true;
}

static struct attempt look(const struct sample *s, struct t_events *got)
{
	struct attempt o = {.prefix = true};
	struct trace_reader *r;
	char err[300] = "";
	int rc;

	got->nr = 0;
	rc = trace_open(&r, image_path, err, sizeof(err));
	o.refused = rc == -EINVAL || rc == -ENODATA;
	if (o.refused) {
		o.detected = err[0] && !strchr(err, '\n');
		return o;
	}
	if (!r || t_read(r, got)) {
		o.prefix = false;
		return o;
	}
	o.detected = trace_damage(r)->damaged && strstr(trace_damage(r)->text, "byte");
	o.offset = trace_damage(r)->offset;
	o.prefix = is_prefix(s, got);
	o.nr = got->nr;
	trace_reader_free(r);
	return o;
}

static void test_cut_everywhere(struct sample *s, struct t_events *got)
{
	bool detected = true, prefix = true, grows = true, refused = true;
	u32 last = 0;

	for (size_t n = 0; n < s->len; n++) {
		struct attempt o;

		put_file(s->bytes, n);
		o = look(s, got);
		refused &= o.refused == (n < sizeof(struct trace_file_header));
		detected &= o.detected && o.offset <= n;
		prefix &= o.prefix;
		grows &= o.nr >= last;
		last = o.nr;
	}
	CHECK(refused, "a file cut inside its header is refused, and no other");
	CHECK(detected, "a cut anywhere is said, with an offset that is in the file");
	CHECK(prefix, "what is given is the first events of each stream");
	CHECK(grows && last > 45, "and all of the blocks that are whole");
}

static void test_flip_everywhere(struct sample *s, struct t_events *got)
{
	u32 missed = 0, wrong = 0;

	for (size_t bit = 0; bit < s->len * 8; bit++) {
		struct attempt o;

		s->bytes[bit / 8] ^= (u8)(1u << bit % 8);
		put_file(s->bytes, s->len);
		s->bytes[bit / 8] ^= (u8)(1u << bit % 8);
		o = look(s, got);
		missed += !o.detected;
		wrong += !o.prefix;
	}
	CHECK(!missed, "every single bit that is flipped is found (%u missed)", missed);
	CHECK(!wrong, "and no wrong event is given (%u times)", wrong);
}

static void test_tail(struct sample *s, struct t_events *got)
{
	u8 *longer = calloc(1, s->len + 100);
	struct attempt o;

	memcpy(longer, s->bytes, s->len);
	put_file(longer, s->len + 100);
	o = look(s, got);
	CHECK(o.detected && o.offset == s->len && o.nr == 90, "what follows the end is said");
	free(longer);
}

/* Killed writers leave these: cut between blocks is no damage, inside one it is. */
static void test_incomplete_cut(struct t_events *got)
{
	u32 at_block = 0, inside = 0;
	struct sample s;

	sample_init(&s, false);
	for (size_t n = sizeof(struct trace_file_header); n <= s.len; n++) {
		struct attempt o;

		put_file(s.bytes, n);
		o = look(&s, got);
		if (!o.prefix || o.offset > n)
			break;
		at_block += !o.detected && o.offset == n;
		inside += o.detected;
	}
	/* Ends: the header, spec, cgroup, tasks, 3 × 3 blocks of events, a note. */
	CHECK(at_block == 14 && at_block + inside == s.len + 1 - sizeof(struct trace_file_header),
	      "an incomplete file ends at a block or is cut (%u, %u)", at_block, inside);
	sample_free(&s);
}

static void test_refusals(struct sample *s)
{
	struct trace_file_header h;
	struct trace_reader *r;
	char err[300], tiny[4];

	memcpy(&h, s->bytes, sizeof(h));
	file_header_swap(&h);
	h.version = 2;
	file_header_seal(&h);
	put_file((const u8 *)&h, sizeof(h));
	CHECK(trace_open(&r, image_path, err, sizeof(err)) == -EINVAL && !r &&
		      strstr(err, "version 2"),
	      "a later version is refused by its number");
	CHECK(trace_open(&r, t_dir, err, sizeof(err)) == -EINVAL && strstr(err, "regular"),
	      "a directory is refused");
	CHECK(trace_open(&r, "/nonexistent.hbt", err, sizeof(err)) == -ENOENT && err[0],
	      "no file is -ENOENT");
	CHECK(trace_open(&r, "/nonexistent.hbt", tiny, sizeof(tiny)) == -ENOENT && !tiny[3],
	      "a short error text is cut");
}

/* The same file with its blocks stored as they are, so that a change reaches the decoder. */
static void store_raw(struct sample *s, struct t_events *got)
{
	size_t room = s->len + 65536, at = sizeof(struct trace_file_header), to = at;
	u8 *out = malloc(room);

	memcpy(out, s->bytes, at);
	while (at < s->len) {
		struct trace_block_header h;
		const u8 *payload = s->bytes + at + sizeof(h);

		memcpy(&h, s->bytes + at, sizeof(h));
		block_header_unseal(&h);
		at += sizeof(h) + h.stored_bytes;
		if (h.codec == CODEC_ZSTD)
			ZSTD_decompress(out + to + sizeof(h), room - to, payload, h.stored_bytes);
		else
			memcpy(out + to + sizeof(h), payload, h.stored_bytes);
		h.codec = CODEC_RAW;
		h.stored_bytes = h.raw_bytes;
		h.payload_crc = trace_crc(out + to + sizeof(h), h.raw_bytes);
		block_header_seal(&h);
		memcpy(out + to, &h, sizeof(h));
		to += sizeof(h) + h.raw_bytes;
	}
	free(s->bytes);
	s->bytes = out;
	s->len = to;
	put_file(s->bytes, s->len);
	/* The header still has the size of the file before. */
	CHECK(look(s, got).prefix && got->nr > 10, "stored as they are, blocks are read as well");
}

/* Change some bytes, then make every checksum right again. */
static void mutate(u8 *bytes, size_t len, u64 *seed)
{
	struct trace_file_header f;

	for (u64 n = 1 + t_random(seed) % 3; n > 0; n--)
		bytes[t_random(seed) % len] = (u8)(t_random(seed) >> (t_random(seed) % 8));
	memcpy(&f, bytes, sizeof(f));
	file_header_swap(&f);
	if (t_random(seed) % 8)
		f.file_bytes = len;
	file_header_seal(&f);
	memcpy(bytes, &f, sizeof(f));
	for (size_t at = sizeof(f); at + sizeof(struct trace_block_header) <= len;) {
		struct trace_block_header h;
		u8 *payload = bytes + at + sizeof(h);

		memcpy(&h, bytes + at, sizeof(h));
		block_header_swap(&h);
		at += sizeof(h);
		if (h.stored_bytes <= len - at)
			h.payload_crc = trace_crc(payload, h.stored_bytes);
		at = h.stored_bytes <= len - at ? at + h.stored_bytes : len;
		block_header_seal(&h);
		memcpy(payload - sizeof(h), &h, sizeof(h));
	}
}

/* Is every event one that a writer would have taken, and in order? */
static bool events_sane(const struct trace_reader *r, const struct t_events *got)
{
	struct codec_limits lim = {.workers = trace_info(r)->workers,
				   .keys = trace_info(r)->keys,
				   .nr_tasks = trace_nr_tasks(r)};

	for (u32 i = 0; i < got->nr; i++) {
		if (codec_check(&got->v[i], &lim))
			return false;
		if (i && got->v[i].time_ns < got->v[i - 1].time_ns)
			return false;
	}
	return true;
}

static void test_fuzz(const struct sample *s, u64 seed, struct t_events *got)
{
	u32 opened = 0, damaged = 0, insane = 0;
	u8 *bytes = malloc(s->len);
	char err[300];

	for (u32 i = 0; i < 20000; i++) {
		struct trace_reader *r;

		memcpy(bytes, s->bytes, s->len);
		mutate(bytes, s->len, &seed);
		put_file(bytes, s->len);
		if (trace_open(&r, image_path, err, sizeof(err)))
			continue;
		opened++;
		insane += t_read(r, got) || !events_sane(r, got);
		trace_rewind(r, TRACE_ITEMS);
		insane += t_read(r, got) || !events_sane(r, got);
		damaged += trace_damage(r)->damaged;
		trace_reader_free(r);
	}
	CHECK(opened > 10000 && damaged > 3000, "20000 made-up files: %u opened, %u damaged",
	      opened, damaged);
	CHECK(!insane, "none gives an event that no writer would have taken");
	free(bytes);
}

int main(void)
{
	struct t_events got = {0};
	struct sample s;

	t_setup();
	image_init();
	sample_init(&s, true);
	test_cut_everywhere(&s, &got);
	test_flip_everywhere(&s, &got);
	test_tail(&s, &got);
	test_incomplete_cut(&got);
	test_refusals(&s);
	test_fuzz(&s, 1, &got);
	store_raw(&s, &got);
	test_fuzz(&s, 2, &got);
	sample_free(&s);
	free(got.v);
	t_cleanup();
	return tap_done();
}
