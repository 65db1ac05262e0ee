/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/allocators.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/exec/context.h"
#include "harness/exec/launch.h"

const struct ifr_library_allocator ifr_libraries[IFR_LIBRARIES] = {
	{"glibc", NULL, "libc6"},
	{"jemalloc", "libjemalloc.so.2", "libjemalloc2"},
	{"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4 or libtcmalloc-minimal4t64"},
	{"mimalloc", "libmimalloc.so.2|libmimalloc.so.3", "libmimalloc2.0 or libmimalloc3"},
	{"hoard", "libhoard.so", NULL},
};

char *ifr_allocator_find(const char *names) {
	static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
	                                      "/usr/lib", "/usr/local/lib"};
	struct ifr_strings alternatives = {0};
	char *path = NULL;
	ifr_strings_split(&alternatives, names, "|");
	for (size_t n = 0; n < alternatives.count && !path; n++)
		for (size_t i = 0; i < sizeof folders / sizeof *folders && !path; i++) {
			path = ifr_format("%s/%s", folders[i], alternatives.items[n]);
			if (!ifr_file_exists(path)) {
				free(path);
				path = NULL;
			}
		}
	ifr_strings_release(&alternatives);
	return path;
}

int ifr_allocator_check(unsigned allocator, const char *program, struct ifr_error *err) {
	const struct ifr_library_allocator *about = &ifr_libraries[allocator];
	char *library = about->library ? ifr_allocator_find(about->library) : NULL;
	int result = 0;
	if (about->library && !library)
		result = ifr_fail(err, IFR_E_USAGE, "%s is not installed (%s%s)", about->name,
		                  about->package ? "Debian: " : "Debian has no package of it",
		                  about->package ? about->package : "");
	else if (library && !ifr_loads_libraries(program))
		result =
			ifr_fail(err, IFR_E_USAGE, "%s cannot be preloaded: the program is statically linked", about->name);
	free(library);
	return result;
}

/* All paths have one length, as ifr_context_path makes them. */
void ifr_allocator_environment(unsigned allocator, struct ifr_strings *environment) {
	static const char name[] = "LD_PRELOAD=";
	const char *names = ifr_libraries[allocator].library;
	char *library = names ? ifr_allocator_find(names) : NULL, *padded = ifr_context_path(library ? library : "/");
	size_t i = 0;
	while (i < environment->count && !ifr_starts_with(environment->items[i], name))
		i++;
	if (i == environment->count) {
		ifr_strings_take(environment, ifr_format("LD_PRELOA%c=%s", library ? 'D' : 'X', padded));
		ifr_strings_add(environment, "A=");
	} else if (library) {
		char *old = environment->items[i];
		environment->items[i] = ifr_format("%s%s:%s", name, padded, old + strlen(name));
		ifr_strings_add(environment, "A=");
		free(old);
	} else {
		ifr_strings_take(environment, ifr_format("A=%s:", padded));
	}
	free(padded);
	free(library);
}

const char *ifr_allocator_complaint(const char *errors) {
	return strstr(errors, "cannot be preloaded") && strstr(errors, "ld.so")
	           ? "the loader did not preload the allocator"
	           : NULL;
}
