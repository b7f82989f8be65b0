// SPDX-License-Identifier: GPL-2.0-only
#include "progress.h"

#include "live/clock.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static double stream_s(const struct progress *p, u32 cell)
{
	struct spec s = spec_scaled(grid_cell(p->result->grid, cell));

	return (double)s.workload.duration_ns / (double)NSEC_PER_SEC;
}

void progress_begin(struct progress *p, const struct result *r, bool on)
{
	*p = (struct progress){.on = on && isatty(STDERR_FILENO), .result = r};
	p->began_ns = clock_mono_ns();
}

void progress_expect(struct progress *p, u32 cell)
{
	p->all_s += stream_s(p, cell);
}

static int terminal_width(void)
{
	struct winsize ws;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 20 ? 80 : ws.ws_col;
}

/* Blanks over what the last line had more: no terminal needs to know more than a carriage return.
 */
static void show(struct progress *p, char *line)
{
	int len = (int)strlen(line), max = terminal_width() - 1;

	if (len > max) {
		line[max] = '\0';
		len = max;
	}
	fprintf(stderr, "\r%s%*s", line, p->shown > len ? p->shown - len : 0, "");
	if (!len)
		fputc('\r', stderr);
	fflush(stderr);
	p->shown = len;
}

static void time_left(const struct progress *p, double now_s, char *buf, size_t len)
{
	double elapsed = (double)(clock_mono_ns() - p->began_ns) / 1e9;
	double done = p->done_s + now_s, left;

	buf[0] = '\0';
	if (done <= 0)
		return;
	left = elapsed * (p->all_s - done) / done;
	if (left >= 90)
		snprintf(buf, len, "  about %.0f min left", left / 60);
	else
		snprintf(buf, len, "  about %.0f s left", left);
}

void progress_show(struct progress *p, u32 cell, u32 repeat, u64 done, u64 total)
{
	char line[400], axes[200], left[40];
	double share = total ? (double)done / (double)total : 0;

	if (!p->on)
		return;
	if (share > 1)
		share = 1;
	cell_text(axes, sizeof(axes), p->result->grid, cell);
	time_left(p, share * stream_s(p, cell), left, sizeof(left));
	snprintf(line, sizeof(line), "cell %u/%u repeat %u/%u  %s%sdone %" PRIu64 "/%" PRIu64 "%s",
		 cell + 1, p->result->cells, repeat + 1, result_repeats(p->result, cell), axes,
		 axes[0] ? "  " : "", done, total, left);
	show(p, line);
}

void progress_done(struct progress *p, u32 cell)
{
	p->done_s += stream_s(p, cell);
}

void progress_end(struct progress *p)
{
	char nothing[1] = "";

	if (p->on && p->shown)
		show(p, nothing);
}
