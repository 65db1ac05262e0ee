/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Environments of the axes allocator and huge-pages: as many strings and bytes for all choices, so that none of them
 * moves the stack; and the loader's own words where it preloads nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/exec/exec.h"

struct size {
	size_t strings, bytes;
};

static struct size measure(const struct ifr_strings *environment) {
	struct size size = {environment->count, 0};
	for (size_t i = 0; i < environment->count; i++)
		size.bytes += strlen(environment->items[i]) + 1;
	return size;
}

static const char *find(const struct ifr_strings *environment, const char *name) {
	for (size_t i = 0; i < environment->count; i++)
		if (!strncmp(environment->items[i], name, strlen(name)))
			return environment->items[i] + strlen(name);
	return NULL;
}

static void check_allocators(const char *users) {
	struct size first = {0};
	for (unsigned i = 0; i < IFR_LIBRARIES; i++) {
		struct ifr_strings environment = {0};
		char *library = ifr_libraries[i].library ? ifr_allocator_find(ifr_libraries[i].library) : NULL;
		if (users)
			ifr_strings_take(&environment, ifr_format("LD_PRELOAD=%s", users));
		ifr_allocator_environment(i, &environment);
		const struct size size = measure(&environment);
		first = i ? first : size;
		assert_int_equal(size.strings, first.strings);
		assert_int_equal(size.bytes, first.bytes);
		const char *preload = find(&environment, "LD_PRELOAD=");
		assert_true(!preload == (!library && !users));
		assert_true(!library || strstr(preload, library));
		assert_true(!users || strstr(preload, users));
		free(library);
		ifr_strings_release(&environment);
	}
}

static void test_allocators(void **state) {
	(void)state;
	check_allocators(NULL);
	check_allocators("/lib/libusers.so");
}

/* 0: none; 1: heap; 2: text, which the runtime does; 3: both. */
static void test_huge_pages(void **state) {
	(void)state;
	struct size first = {0};
	for (unsigned parts = 0; parts < 4; parts++) {
		struct ifr_plan plan;
		struct ifr_context context;
		struct ifr_strings environment = {0};
		char *words = ifr_format("parts=%u", parts);
		ifr_plan_init(&plan);
		assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_HUGE_PAGES, words, NULL), 0);
		ifr_context_init(&context, NULL);
		ifr_strings_add(&context.environment, "GLIBC_TUNABLES=glibc.malloc.check=0");
		ifr_context_set_plan(&context, &plan, 1u << IFR_AXIS_HUGE_PAGES, false);
		ifr_context_environment(&context, &environment);
		const struct size size = measure(&environment);
		first = parts ? first : size;
		assert_int_equal(size.bytes, first.bytes);
		assert_string_equal(find(&environment, "GLIBC_TUNABLES="),
		                    parts & 1 ? "glibc.malloc.check=0:glibc.malloc.hugetlb=1"
		                              : "glibc.malloc.check=0:glibc.malloc.hugetlb=0");
		assert_true(!strstr(context.runtime, "text=huge;") == !(parts & 2));
		ifr_strings_release(&environment);
		ifr_context_release(&context);
		ifr_plan_release(&plan);
		free(words);
	}
}

/* glibc 2.36, of a file that is no library. */
static void test_complaint(void **state) {
	(void)state;
	assert_non_null(ifr_allocator_complaint("ERROR: ld.so: object '/x/libjemalloc.so.2' from LD_PRELOAD cannot be "
	                                        "preloaded (file too short): ignored.\n"));
	assert_null(ifr_allocator_complaint("a program's own words\n"));
	assert_null(ifr_allocator_complaint(""));
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocators), cmocka_unit_test(test_huge_pages),
	                                   cmocka_unit_test(test_complaint)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
