/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process context of a run: everything outside the program's file that decides where its stack, heap and
 * mappings lie. It is one value, made here alone. The launcher runs programs in it, the recorder records them in
 * it, and replays lay out their stack and mappings by it.
 *
 * To add an axis of the launcher: its row in common/axis.c, and in context.c its member's value
 * (ifr_context_set_plan), its fact (ifr_context_describe), and how it is applied, either in the environment
 * (ifr_context_environment) or in the child before exec (ifr_context_enter). Replays follow it through
 * harness/simulate/plan_layouts.c; ARCHITECTURE.md lists all files. */
#ifndef IFR_HARNESS_CONTEXT_H
#define IFR_HARNESS_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/plan.h"
#include "common/strings.h"

struct ifr_context {
	struct ifr_strings environment; /* "NAME=value", without what the axes add */
	uint64_t stack_bytes;           /* axis stack: bytes of environment on top, below which the stack begins */
	uint64_t main_bytes;            /* axis stack, parameter main: bytes above main's frame, a multiple of 16 */
	uint64_t path_bytes,
		argument_bytes;   /* axis stack, as plans give them: slashes in the program's path, in argv[0] */
	bool moves_directory; /* axis stack, where plans give it: the working directory is reached by a longer path */
	uint64_t directory_bytes;           /* growth of that path beyond IFR_CONTEXT_PATH_LENGTH */
	bool has_allocator, has_huge_pages; /* axes of the design: their variables are there, if only as filler */
	unsigned allocator, huge_pages;     /* of exec/allocators.h; of enum ifr_huge_pages */
	uint64_t load_pages; /* axis load: pages by which mappings lie lower; 0: as the kernel places them */
	char *runtime;       /* settings of libinterfero.so (runtime/runtime.h); NULL: it is not preloaded */
};

/* Parts of a program that huge pages hold, or-ed. */
enum ifr_huge_pages { IFR_HUGE_HEAP = 1, IFR_HUGE_TEXT = 2 };

/* Makes a context that no axis has moved: PATH, HOME and LC_ALL=C, then more ("NAME=value", or "NAME" to pass the
 * user's value on; NULL: nothing more). The caller releases it. */
void ifr_context_init(struct ifr_context *context, const struct ifr_strings *more);
void ifr_context_copy(struct ifr_context *copy, const struct ifr_context *context);
void ifr_context_release(struct ifr_context *context);

/* Applies a plan's axes of the launcher, but for copies. axes (a mask of 1u << enum ifr_axis) are the axes of all plans
 * of the design: under one mask the runtime's settings have one length, so that they do not move the stack.
 * regions: the runtime also times the regions that the program marks. */
void ifr_context_set_plan(struct ifr_context *context, const struct ifr_plan *plan, unsigned axes, bool regions);

/* Appends a line for each axis of the plan that moved the context, such as "load: mappings 3 pages lower". */
void ifr_context_describe(const struct ifr_context *context, const struct ifr_plan *plan,
                          struct ifr_buffer *facts);

/* Appends the environment that a process gets: the variables, then "P=", whose length alone depends on
 * stack_bytes. With the axes allocator and huge-pages, variables of one length in all layouts preload the allocator and
 * tune glibc's. */
void ifr_context_environment(const struct ifr_context *context, struct ifr_strings *environment);

/* The path under which a process executes a file, or finds a library: absolute, with leading slashes up to a length of
 * IFR_CONTEXT_PATH_LENGTH, or up to the next multiple of it. The kernel writes the path above the stack; folders and
 * names of any length thus give the same stack. A path near the kernel's limit stays as it is. The caller frees. */
enum { IFR_CONTEXT_PATH_LENGTH = 256 };
char *ifr_context_path(const char *file);

/* The path of the program, as ifr_context_path gives it, with the context's path_bytes, and the arguments with its
 * argument_bytes: "./prog" becomes ".///prog". Both name the same files as before. The caller frees each of them, by one
 * free. Errors: IFR_E_USAGE for a path that becomes too long, and for an argv[0] without a slash. */
int ifr_context_program(const struct ifr_context *context, const char *file, char **path, struct ifr_error *err);
int ifr_context_arguments(const struct ifr_context *context, char *const *argv, char ***arguments,
                          struct ifr_error *err);

/* Whether the program can be run in the context. Errors: IFR_E_USAGE for an allocator that is not installed, and for a
 * program that preloads none. */
int ifr_context_check(const struct ifr_context *context, const char *program, struct ifr_error *err);

/* Applies the context to this process, which is about to exec the program. -1 with errno if the hard limit of the
 * stack forbids the load axis. */
int ifr_context_enter(const struct ifr_context *context);

#endif
