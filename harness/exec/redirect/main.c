/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An auditor of the dynamic loader (LD_AUDIT) that leads a program to a library's variant, wherever the program finds the
 * library: linked, linked by a path, or opened by dlopen, as a Python extension is. INTERFERO_LIBRARY names it: its
 * soname, its file's name, and the variant's path, separated by blanks. The loader asks the auditor for no more: calls
 * between libraries are left alone.
 * Ref: rtld-audit(7). */
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned la_version(unsigned version);
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);

unsigned la_version(unsigned version) {
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Tells the first run that the program loads the library. */
static void note_seen(void) {
	const char *path = getenv("INTERFERO_LIBRARY_SEEN");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd >= 0)
		close(fd);
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
	const char *soname = getenv("INTERFERO_LIBRARY"), *slash = strrchr(name, '/'),
			   *base = slash ? slash + 1 : name;
	const char *file = soname ? strchr(soname, ' ') : NULL, *path = file ? strchr(file + 1, ' ') : NULL;
	const size_t length = strlen(base);
	(void)cookie, (void)flag;
	if (!path)
		return (char *)name;
	const size_t soname_length = (size_t)(file - soname), file_length = (size_t)(path - file - 1);
	if (!(length == soname_length && !strncmp(base, soname, length)) &&
	    !(length == file_length && !strncmp(base, file + 1, length)))
		return (char *)name;
	note_seen();
	return (char *)path + 1;
}
