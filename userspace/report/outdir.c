/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int fail(char *err, size_t err_len, const char *path, int error, const char *mend)
{
	snprintf(err, err_len, "%s: %s%s", path, strerror(-error), mend);
	return error;
}

static bool directory_empty(const char *path)
{
	DIR *dir = opendir(path);
	bool empty = true;
	struct dirent *e;

	if (!dir)
		return false;
	while (empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(dir);
	return empty;
}

static int take_existing(struct outdir *d, char *err, size_t err_len)
{
	struct stat st;

	if (stat(d->path, &st))
		return fail(err, err_len, d->path, -errno, "");
	if (!S_ISDIR(st.st_mode))
		return fail(err, err_len, d->path, -EEXIST,
			    ", and is no directory: name another with --out");
	if (access(d->path, W_OK | X_OK))
		return fail(err, err_len, d->path, -errno, ": name another with --out");
	if (directory_empty(d->path))
		return 0;
	snprintf(err, err_len,
		 "%s: exists and is not empty: name another with --out, or go on in it with "
		 "--resume",
		 d->path);
	return -EEXIST;
}

static int make_named(struct outdir *d, const char *out, char *err, size_t err_len)
{
	if (strlen(out) >= sizeof(d->path) - NAME_MAX)
		return fail(err, err_len, "--out", -ENAMETOOLONG, "");
	strcpy(d->path, out);
	if (mkdir(d->path, 0777)) {
		if (errno == EEXIST)
			return take_existing(d, err, err_len);
		return fail(err, err_len, d->path, -errno,
			    errno == ENOENT ? ": make its parent directory first"
					    : ": name another with --out");
	}
	d->made = true;
	return 0;
}

/* Two runs of one second get different names. */
static int make_dated(struct outdir *d, const char *name, char *err, size_t err_len)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	if (mkdir("results", 0777) && errno != EEXIST)
		return fail(err, err_len, "results", -errno,
			    ": go to a directory that can be written, or name one with --out");
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	for (u32 i = 1; i < 100; i++) {
		int n = snprintf(d->path, sizeof(d->path) - NAME_MAX, "results/%s-%s", stamp, name);

		if (i > 1)
			snprintf(d->path + n, 8, "-%u", i);
		if (!mkdir(d->path, 0777)) {
			d->made = true;
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return fail(err, err_len, d->path, -errno, ": name another with --out");
}

int outdir_make(struct outdir *d, const char *out, const char *name, char *err, size_t err_len)
{
	*d = (struct outdir){0};
	return out ? make_named(d, out, err, err_len) : make_dated(d, name, err, err_len);
}

int outdir_open(struct outdir *d, const char *path, char *err, size_t err_len)
{
	struct stat st;

	*d = (struct outdir){0};
	if (strlen(path) >= sizeof(d->path) - NAME_MAX)
		return fail(err, err_len, "--resume", -ENAMETOOLONG, "");
	strcpy(d->path, path);
	if (stat(path, &st))
		return fail(err, err_len, path, -errno,
			    errno == EACCES ? ": go on as the user whose it is, or open the "
					      "directories above it"
					    : ": name the directory of a result");
	if (!S_ISDIR(st.st_mode))
		return fail(err, err_len, path, -ENOTDIR, ": name the directory of a result");
	if (access(path, W_OK | X_OK))
		return fail(
			err, err_len, path, -errno,
			": go on as the user whose it is, or give it to yourself with chown -R");
	return 0;
}

void outdir_discard(const struct outdir *d)
{
	if (d->made)
		rmdir(d->path);
}

int outdir_path(const struct outdir *d, const char *name, char buf[PATH_MAX])
{
	int n = snprintf(buf, PATH_MAX, "%s/%s", d->path, name);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int outfile_open(struct outfile *o, const struct outdir *d, const char *name)
{
	char temporary[NAME_MAX];
	int fd, err;

	snprintf(temporary, sizeof(temporary), ".%s.part", name);
	err = outdir_path(d, name, o->path);
	if (!err)
		err = outdir_path(d, temporary, o->temporary);
	if (err)
		return err;
	fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	o->f = fdopen(fd, "w");
	if (o->f)
		return 0;
	err = -errno;
	close(fd);
	unlink(o->temporary);
	return err;
}

/* A rename is on disk when its directory is. */
static int sync_parent(const char *path)
{
	char dir[PATH_MAX];
	char *slash;
	int fd, err = 0;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fsync(fd) && errno != EINVAL)
		err = -errno;
	close(fd);
	return err;
}

int outfile_commit(struct outfile *o)
{
	int err = 0;

	if (fflush(o->f) || ferror(o->f) || fsync(fileno(o->f)))
		err = errno ? -errno : -EIO;
	if (fclose(o->f) && !err)
		err = -errno;
	o->f = NULL;
	if (!err && rename(o->temporary, o->path))
		err = -errno;
	if (err)
		unlink(o->temporary);
	return err ? err : sync_parent(o->path);
}
