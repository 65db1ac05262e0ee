/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/strings.h"

int ifr_file_read(const char *path, size_t limit, struct ifr_buffer *contents, struct ifr_error *err) {
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot open %s", path);
	int result = 0;
	char chunk[65536];
	for (;;) {
		ssize_t got = read(fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path);
		if (got <= 0)
			break;
		if (limit && contents->length + (size_t)got > limit) {
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is larger than %zu bytes", path, limit);
			break;
		}
		ifr_buffer_append(contents, chunk, (size_t)got);
	}
	close(fd);
	return result;
}

static int write_all(int fd, const char *data, size_t length) {
	while (length) {
		ssize_t done = write(fd, data, length);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data += done;
		length -= (size_t)done;
	}
	return 0;
}

/* Opens a temporary file beside path; the caller frees *temporary. */
static int open_temporary(const char *path, char **temporary, struct ifr_error *err) {
	*temporary = ifr_format("%s.XXXXXX", path);
	int fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	int result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	free(*temporary);
	*temporary = NULL;
	return result;
}

/* Closes the temporary file and renames it to path, or removes it after a failure. */
static int finish_temporary(int fd, char *temporary, const char *path, mode_t mode, bool good,
                            struct ifr_error *err) {
	assert(temporary);
	good = good && !fchmod(fd, mode);
	int saved = errno;
	if (close(fd) && good) {
		saved = errno;
		good = false;
	}
	if (good && rename(temporary, path)) {
		saved = errno;
		good = false;
	}
	int result = 0;
	if (!good) {
		unlink(temporary);
		errno = saved;
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	}
	free(temporary);
	return result;
}

/* Whether path is a device or a pipe (/dev/null, /dev/stdout): renaming a file over it would destroy it. */
static bool is_special(const char *path) {
	struct stat status;
	return !stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int write_special(const char *path, const void *data, size_t length, struct ifr_error *err) {
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && !write_all(fd, data, length);
	int result = good ? 0 : ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
	return result;
}

int ifr_file_write(const char *path, const void *data, size_t length, mode_t mode, struct ifr_error *err) {
	if (is_special(path))
		return write_special(path, data, length, err);
	char *temporary;
	int fd = open_temporary(path, &temporary, err);
	if (fd < 0)
		return fd;
	bool good = !write_all(fd, data, length);
	return finish_temporary(fd, temporary, path, mode, good, err);
}

int ifr_file_read_named(const char *path, size_t limit, struct ifr_buffer *contents, struct ifr_error *err) {
	if (access(path, F_OK) && errno == ENOENT)
		return ifr_fail(err, IFR_E_USAGE, "there is no file %s", *path ? path : "\"\"");
	return ifr_file_read(path, limit, contents, err);
}

int ifr_file_copy(const char *from, const char *to, mode_t mode, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(from, 0, &contents, err);
	if (!result)
		result = ifr_file_write(to, ifr_buffer_text(&contents), contents.length, mode, err);
	ifr_buffer_release(&contents);
	return result;
}

int ifr_dir_make(const char *path, struct ifr_error *err) {
	if (!*path)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "cannot make a folder without a name");
	char *partial = ifr_strdup(path);
	int result = 0;
	for (char *end = partial; !result && end;) {
		end = strchr(end + 1, '/');
		if (end)
			*end = '\0';
		if (*partial && mkdir(partial, 0777) && errno != EEXIST && errno != EISDIR)
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make the folder %s", partial);
		if (end)
			*end = '/';
	}
	struct stat status;
	if (!result && (stat(path, &status) || !S_ISDIR(status.st_mode)))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is in the way: it is not a folder", path);
	free(partial);
	return result;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
	(void)status, (void)type, (void)where;
	return remove(path);
}

int ifr_tree_remove(const char *path, struct ifr_error *err) {
	if (nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot remove %s", path);
	return 0;
}

int ifr_temporary_dir(char **path, struct ifr_error *err) {
	const char *base = getenv("TMPDIR");
	*path = ifr_format("%s/interfero-XXXXXX", base && *base ? base : "/tmp");
	if (mkdtemp(*path))
		return 0;
	int result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make a temporary folder %s", *path);
	free(*path);
	*path = NULL;
	return result;
}

bool ifr_file_exists(const char *path) {
	return !access(path, F_OK);
}

const char *ifr_path_base(const char *path) {
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *ifr_path_dir(const char *path) {
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ifr_strdup(".");
	if (slash == path)
		return ifr_strdup("/");
	return ifr_format("%.*s", (int)(slash - path), path);
}

char *ifr_path_normalise(const char *cwd, const char *path) {
	char *joined = *path == '/' ? ifr_strdup(path) : ifr_format("%s/%s", cwd, path);
	struct ifr_strings parts = {0};
	ifr_strings_split(&parts, joined, "/");
	free(joined);
	const char **kept = ifr_alloc((parts.count + 1) * sizeof *kept);
	size_t count = 0;
	for (size_t i = 0; i < parts.count; i++) {
		if (!strcmp(parts.items[i], "."))
			continue;
		if (strcmp(parts.items[i], ".."))
			kept[count++] = parts.items[i];
		else if (count)
			count--;
	}
	struct ifr_buffer result = {0};
	for (size_t i = 0; i < count; i++)
		ifr_buffer_printf(&result, "/%s", kept[i]);
	if (!count)
		ifr_buffer_puts(&result, "/");
	free(kept);
	ifr_strings_release(&parts);
	return ifr_buffer_detach(&result);
}

char *ifr_path_self(void) {
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	return ifr_strdup(path);
}

char *ifr_path_libexec(const char *name) {
	char *self = ifr_path_self(), *bin = self ? ifr_path_dir(self) : ifr_strdup("/usr/bin");
	char *relative = ifr_format("../libexec/interfero/%s", name), *path = ifr_path_normalise(bin, relative);
	free(relative);
	free(bin);
	free(self);
	return path;
}
