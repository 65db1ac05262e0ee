/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thesis' micro-kernel on a stack of its own, whose low address bits no context changes: static variables lie OFFSET
 * bytes behind a page. Prints the low bits of the frame's address. Ref: Melhus 2013, listing 4.1. */
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

enum { ROUNDS = 4096 };

static char stack[1 << 16] __attribute__((aligned(4096)));
static struct {
	char before[OFFSET];
	int i, j, k;
} at __attribute__((aligned(4096)));
static ucontext_t here, there;
static unsigned frame;

void where(void) {
	frame = (uintptr_t)__builtin_frame_address(0) & 4095;
}

void kernel(void) {
	int g = 0, inc = 1;
	for (; g < ROUNDS; g++) {
		at.i += inc;
		at.j += inc;
		at.k += inc;
	}
}

static void on_stack(void (*function)(void)) {
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &here;
	makecontext(&there, function, 0);
	swapcontext(&here, &there);
}

int main(void) {
	on_stack(where);
	on_stack(kernel);
	printf("%u %d %d %d\n", frame, at.i, at.j, at.k);
	return 0;
}
