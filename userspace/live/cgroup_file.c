/* SPDX-License-Identifier: GPL-2.0-only */
#include "live/cgroup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cg_path(char out[CGROUP_PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(out, CGROUP_PATH_MAX, "%s/%s", dir, name);

	return n < 0 || n >= CGROUP_PATH_MAX ? -ENAMETOOLONG : 0;
}

bool cg_has(const char *dir, const char *file)
{
	char path[CGROUP_PATH_MAX];

	return !cg_path(path, dir, file) && !access(path, F_OK);
}

/* Not access(2), which asks for the real user and without his capabilities. */
bool cg_may_write(const char *dir)
{
	return !faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS);
}

const char *cg_mend(void)
{
	return geteuid() ? "run as root" : "mount it to be written, and run outside of a container";
}

static int open_file(const char *dir, const char *file, int flags)
{
	char path[CGROUP_PATH_MAX];
	int fd, rc = cg_path(path, dir, file);

	if (rc)
		return rc;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cg_write(const char *dir, const char *file, const char *fmt, ...)
{
	char text[8192];
	int fd = open_file(dir, file, O_WRONLY), n, rc;
	va_list ap;

	if (fd < 0)
		return fd;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		rc = -E2BIG;
	else
		rc = write(fd, text, (size_t)n) == n ? 0 : -errno;
	close(fd);
	return rc;
}

int cg_read(const char *dir, const char *file, char *text, size_t len)
{
	int fd = open_file(dir, file, O_RDONLY);
	ssize_t n;
	int rc;

	text[0] = 0;
	if (fd < 0)
		return fd;
	n = read(fd, text, len - 1);
	rc = n < 0 ? -errno : 0;
	close(fd);
	text[n < 0 ? 0 : n] = 0;
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = 0;
	return rc;
}

int cg_read_number(const char *dir, const char *file, const char *key, u64 *value)
{
	char text[4096];
	size_t len = strlen(key);
	int rc = cg_read(dir, file, text, sizeof(text));

	if (rc)
		return rc;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || (len && line[len] != ' '))
			continue;
		return sscanf(line + len, "%" SCNu64, value) == 1 ? 0 : -ENODATA;
	}
	return -ENODATA;
}

bool cg_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ", \n");

		if (n == len && !strncmp(list, word, n))
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

int cg_mkdir(const char *dir)
{
	return mkdir(dir, 0755) && errno != EEXIST ? -errno : 0;
}
