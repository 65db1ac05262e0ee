/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The return stack: a ring of calling blocks, of which the oldest are overwritten. Pushes and pops are the same in every
 * layout. Private to the folder. */
#ifndef IFR_MODEL_RETURN_STACK_H
#define IFR_MODEL_RETURN_STACK_H

#include <stdlib.h>

#include "model/replay/stages.h"

struct ifr_return_stack {
	uint32_t *calls;           /* the last depth of them, up to top, are filled */
	unsigned size, top, depth; /* size 0: the machine has none */
};

static inline struct ifr_return_stack ifr_return_stack_new(const struct ifr_pass *pass) {
	const unsigned size = pass->machine->values[IFR_RETURN_STACK_ENTRIES];
	return (struct ifr_return_stack){.calls = ifr_alloc((size + 1) * sizeof(uint32_t)), .size = size};
}

static inline void ifr_return_stack_push(struct ifr_return_stack *stack, uint32_t caller) {
	stack->top = stack->top + 1 < stack->size ? stack->top + 1 : 0;
	stack->calls[stack->top] = caller;
	stack->depth += stack->depth < stack->size;
}

/* Returns false if the stack is empty. */
static inline bool ifr_return_stack_pop(struct ifr_return_stack *stack, uint32_t *caller) {
	if (!stack->depth)
		return false;
	*caller = stack->calls[stack->top];
	stack->top = (stack->top ? stack->top : stack->size) - 1;
	stack->depth--;
	return true;
}

#endif
