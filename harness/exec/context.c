/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/context.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/random.h"
#include "harness/exec/allocators.h"
#include "harness/exec/runtime_settings.h"

static void set_variable(struct ifr_strings *environment, const char *entry) {
	size_t name = strcspn(entry, "=") + 1;
	for (size_t i = 0; i < environment->count; i++)
		if (!strncmp(environment->items[i], entry, name)) {
			free(environment->items[i]);
			environment->items[i] = ifr_strdup(entry);
			return;
		}
	ifr_strings_add(environment, entry);
}

void ifr_context_init(struct ifr_context *context, const struct ifr_strings *more) {
	const char *home = getenv("HOME");
	*context = (struct ifr_context){0};
	ifr_strings_add(&context->environment, "PATH=/usr/local/bin:/usr/bin:/bin");
	ifr_strings_take(&context->environment, ifr_format("HOME=%s", home ? home : "/"));
	ifr_strings_add(&context->environment, "LC_ALL=C");
	for (size_t i = 0; more && i < more->count; i++) {
		const char *entry = more->items[i];
		const char *value = strchr(entry, '=') ? NULL : getenv(entry);
		if (strchr(entry, '=')) {
			set_variable(&context->environment, entry);
		} else if (value) {
			char *passed = ifr_format("%s=%s", entry, value);
			set_variable(&context->environment, passed);
			free(passed);
		}
	}
}

void ifr_context_copy(struct ifr_context *copy, const struct ifr_context *context) {
	*copy = *context;
	copy->environment = (struct ifr_strings){0};
	ifr_strings_add_all(&copy->environment, &context->environment);
	copy->runtime = context->runtime ? ifr_strdup(context->runtime) : NULL;
}

void ifr_context_release(struct ifr_context *context) {
	ifr_strings_release(&context->environment);
	free(context->runtime);
	*context = (struct ifr_context){0};
}

/* Bytes of environment and above main's frame. */
static void set_stack(struct ifr_context *context, const struct ifr_axis_setting *stack) {
	const uint64_t drawn =
		ifr_random_below(ifr_random_keyed(stack->seed, "stack", "environment"), (uint64_t)stack->value[0] + 1);
	const uint64_t steps =
		ifr_random_below(ifr_random_keyed(stack->seed, "stack", "main"), (uint64_t)stack->value[1] / 16 + 1);
	context->stack_bytes = stack->on ? ifr_axis_setting_value(stack, 0, drawn) : 0;
	context->main_bytes = stack->on ? ifr_axis_setting_value(stack, 1, 16 * steps) : 0;
	context->path_bytes = stack->on ? ifr_axis_setting_value(stack, 2, 0) : 0;
	context->argument_bytes = stack->on ? ifr_axis_setting_value(stack, 3, 0) : 0;
}

/* The working directory of a plan that gives no growth stays where it is. */
static void set_directory(struct ifr_context *context, const struct ifr_axis_setting *stack) {
	context->moves_directory = stack->on && stack->given[4] >= 0;
	context->directory_bytes = context->moves_directory ? (uint64_t)stack->given[4] : 0;
}

/* One of as many choices as the axis has. */
static unsigned choose(const struct ifr_plan *plan, enum ifr_axis axis) {
	const struct ifr_axis_setting *setting = &plan->axis[axis];
	const struct ifr_axis_value *value = &ifr_axes[axis].value[0];
	const uint64_t drawn = ifr_random_below(ifr_random_keyed(setting->seed, ifr_axes[axis].key, value->name),
	                                        (uint64_t)value->maximum + 1);
	return setting->on ? (unsigned)ifr_axis_setting_value(setting, 0, drawn) : 0;
}

static void set_load(struct ifr_context *context, const struct ifr_axis_setting *load) {
	const uint64_t drawn =
		1 + ifr_random_below(ifr_random_keyed(load->seed, "load", "mappings"), (uint64_t)load->value[0]);
	context->load_pages = load->on ? ifr_axis_setting_value(load, 0, drawn) : 0;
}

void ifr_context_set_plan(struct ifr_context *context, const struct ifr_plan *plan, unsigned axes, bool regions) {
	set_stack(context, &plan->axis[IFR_AXIS_STACK]);
	set_directory(context, &plan->axis[IFR_AXIS_STACK]);
	set_load(context, &plan->axis[IFR_AXIS_LOAD]);
	context->has_allocator = axes & 1u << IFR_AXIS_ALLOCATOR;
	context->has_huge_pages = axes & 1u << IFR_AXIS_HUGE_PAGES;
	context->allocator = choose(plan, IFR_AXIS_ALLOCATOR);
	context->huge_pages = choose(plan, IFR_AXIS_HUGE_PAGES);
	const struct ifr_runtime_wishes wishes = {
		.main_bytes = context->main_bytes, .huge_text = context->huge_pages & IFR_HUGE_TEXT, .regions = regions};
	free(context->runtime);
	context->runtime = ifr_runtime_settings(plan, axes, &wishes);
}

static const char *const huge_parts[] = {"none", "heap", "text", "heap and text"};

void ifr_context_describe(const struct ifr_context *context, const struct ifr_plan *plan,
                          struct ifr_buffer *facts) {
	const struct ifr_axis_setting *stack = &plan->axis[IFR_AXIS_STACK];
	if (stack->on)
		ifr_buffer_printf(facts, "stack: %" PRIu64 " bytes of environment\n", context->stack_bytes);
	if (stack->on && ifr_axis_setting_most(stack, IFR_AXIS_STACK, 1))
		ifr_buffer_printf(facts, "stack: %" PRIu64 " bytes above main's frame\n", context->main_bytes);
	if (stack->on && stack->given[2] >= 0)
		ifr_buffer_printf(facts, "stack: path +%" PRIu64 " bytes\n", context->path_bytes);
	if (stack->on && stack->given[3] >= 0)
		ifr_buffer_printf(facts, "stack: argv[0] +%" PRIu64 " bytes\n", context->argument_bytes);
	if (context->moves_directory)
		ifr_buffer_printf(facts, "stack: directory +%" PRIu64 " bytes\n", context->directory_bytes);
	if (plan->axis[IFR_AXIS_ALLOCATOR].on)
		ifr_buffer_printf(facts, "allocator: %u, %s\n", context->allocator,
		                  ifr_libraries[context->allocator].name);
	if (plan->axis[IFR_AXIS_HUGE_PAGES].on)
		ifr_buffer_printf(facts, "huge-pages: %u, %s\n", context->huge_pages, huge_parts[context->huge_pages]);
	if (plan->axis[IFR_AXIS_LOAD].on)
		ifr_buffer_printf(facts, "load: mappings %" PRIu64 " pages lower\n", context->load_pages);
}

/* The user's own tunables stay, before ours. */
static void tune_glibc(bool huge, struct ifr_strings *environment) {
	static const char name[] = "GLIBC_TUNABLES=";
	size_t i = 0;
	while (i < environment->count && !ifr_starts_with(environment->items[i], name))
		i++;
	if (i < environment->count) {
		char *old = environment->items[i];
		environment->items[i] = ifr_format("%s:glibc.malloc.hugetlb=%d", old, huge);
		free(old);
	} else {
		ifr_strings_take(environment, ifr_format("%sglibc.malloc.hugetlb=%d", name, huge));
	}
}

void ifr_context_environment(const struct ifr_context *context, struct ifr_strings *environment) {
	static const char name[] = "P=";
	char *padding = ifr_alloc(strlen(name) + context->stack_bytes + 1);
	memset(stpcpy(padding, name), 'x', context->stack_bytes);
	ifr_strings_add_all(environment, &context->environment);
	if (context->has_allocator)
		ifr_allocator_environment(context->allocator, environment);
	if (context->has_huge_pages)
		tune_glibc(context->huge_pages & IFR_HUGE_HEAP, environment);
	ifr_strings_take(environment, padding);
}

char *ifr_context_path(const char *file) {
	char *cwd = *file == '/' ? NULL : getcwd(NULL, 0),
		 *whole = cwd ? ifr_format("%s/%s", cwd, file) : ifr_strdup(file);
	const size_t length = strlen(whole), unit = IFR_CONTEXT_PATH_LENGTH,
				 padded = (length + unit - 1) / unit * unit;
	free(cwd);
	if (*whole != '/' || padded >= PATH_MAX)
		return whole;
	char *path = ifr_alloc(padded + 1);
	memset(path, '/', padded - length);
	memcpy(path + padded - length, whole, length + 1);
	free(whole);
	return path;
}

/* Puts slashes behind the slash at `at`: the path still names the same file. */
static char *add_slashes(const char *path, size_t at, uint64_t bytes, char *made) {
	memcpy(made, path, at);
	memset(made + at, '/', bytes);
	strcpy(made + at + bytes, path + at);
	return made;
}

int ifr_context_program(const struct ifr_context *context, const char *file, char **path, struct ifr_error *err) {
	char *usual = ifr_context_path(file);
	const size_t length = strlen(usual) + context->path_bytes;
	if (context->path_bytes && (*usual != '/' || length >= PATH_MAX)) {
		free(usual);
		return ifr_fail(err, IFR_E_USAGE, "stack:path-bytes: a path of %zu bytes is too long: the kernel takes %d",
		                length, PATH_MAX - 1);
	}
	*path = add_slashes(usual, 0, context->path_bytes, ifr_alloc(length + 1));
	free(usual);
	return 0;
}

int ifr_context_arguments(const struct ifr_context *context, char *const *argv, char ***arguments,
                          struct ifr_error *err) {
	const char *slash = strrchr(argv[0], '/');
	size_t count = 0;
	if (context->argument_bytes && !slash)
		return ifr_fail(
			err, IFR_E_USAGE,
			"stack:argument-bytes: \"%.100s\" has no slash, so that a longer one would be another name: give "
			"the program by a path",
			argv[0]);
	while (argv[count])
		count++;
	/* The new argv[0] lies behind the pointers. */
	char **made = ifr_alloc((count + 1) * sizeof *made + strlen(argv[0]) + context->argument_bytes + 1);
	memcpy(made, argv, count * sizeof *made);
	made[count] = NULL;
	made[0] = add_slashes(argv[0], slash ? (size_t)(slash - argv[0]) : 0, slash ? context->argument_bytes : 0,
	                      (char *)(made + count + 1));
	*arguments = made;
	return 0;
}

/* The kernel places mappings below as much room for the stack as its limit allows, and below 128 MiB at least.
 * Moved are addresses from bit 12 up of libraries, the loader, the kernel's own page and mmap's; neither the
 * program nor its stack. Threads' stacks become as large as the limit. */
static int shift_mappings(uint64_t pages) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_STACK, &limit))
		return -1;
	limit.rlim_cur = ((rlim_t)128 << 20) + pages * 4096;
	return setrlimit(RLIMIT_STACK, &limit);
}

int ifr_context_check(const struct ifr_context *context, const char *program, struct ifr_error *err) {
	struct ifr_error why;
	struct ifr_buffer others = {0};
	int result = context->allocator ? ifr_allocator_check(context->allocator, program, &why) : 0;
	if (!result)
		return 0;
	for (unsigned i = 0; i < IFR_LIBRARIES; i++)
		if (!ifr_allocator_check(i, program, NULL))
			ifr_buffer_printf(&others, "%s%u", others.length ? "," : "", i);
	if (strchr(ifr_buffer_text(&others), ','))
		ifr_fail(err, IFR_E_USAGE, "%s: --sweep allocator:which=%s takes those that are", why.message,
		         ifr_buffer_text(&others));
	else
		ifr_fail(err, IFR_E_USAGE, "%s", why.message);
	ifr_buffer_release(&others);
	return result;
}

int ifr_context_enter(const struct ifr_context *context) {
	return context->load_pages ? shift_mappings(context->load_pages) : 0;
}
