/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large blocks of several functions. Prints the name and the page offset of each, unless the argument is "silent". */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 100000 };

static bool silent;

static void show(const char *name, char *block) {
	memset(block, 1, BYTES);
	if (!silent)
		printf("%s %u\n", name, (unsigned)((uintptr_t)block & 4095));
}

__attribute__((noinline)) static char *input(void) {
	char *volatile block = malloc(BYTES);
	return block;
}

__attribute__((noinline)) char *output(void) {
	char *volatile block = calloc(BYTES, 1);
	return block;
}

__attribute__((noinline)) char *grown(char *before) {
	char *volatile block = realloc(before, BYTES);
	return block;
}

__attribute__((noinline)) char *aligned(size_t alignment) {
	void *volatile block = NULL;
	void *got;
	if (!posix_memalign(&got, alignment, BYTES))
		block = got;
	return block;
}

int main(int argc, char **argv) {
	silent = argc > 1 && !strcmp(argv[1], "silent");
	show("main", malloc(BYTES));
	show("input", input());
	show("output", output());
	show("input", input());
	show("grown", grown(NULL));
	show("aligned", aligned(256));
	show("page", aligned(4096));
	show("last", malloc(BYTES));
	return 0;
}
