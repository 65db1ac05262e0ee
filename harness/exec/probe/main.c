/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints where its own parts lie, to see whether addresses repeat from run to run. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
	int on_stack = 0;
	void *on_heap = malloc(64);
	printf("stack %p code %p heap %p libc %p\n", (void *)&on_stack, (void *)(size_t)&main, on_heap,
	       (void *)(size_t)&printf);
	free(on_heap);
	return on_stack;
}
