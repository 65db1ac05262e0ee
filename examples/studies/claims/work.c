/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some 10 ms of work in many small functions, by way of a table. PLANTED: rounds more in 1000, a change of its speed. */
#include <stdint.h>
#include <stdio.h>

#ifndef PLANTED
#define PLANTED 0
#endif
enum { ROUNDS = 2000000, WORDS = 1024 };

static uint32_t memory[WORDS];

#define STEP(name, expression)                                   \
	__attribute__((noinline)) static uint32_t name(uint32_t x) { \
		uint32_t y = memory[x % WORDS];                          \
		for (int i = 0; i < 3; i++)                              \
			y = (expression);                                    \
		memory[(x >> 8) % WORDS] = y;                            \
		return x + (y | 1);                                      \
	}
STEP(add, y + x * 3 + 1)
STEP(turn, (y << 5 | y >> 27) ^ x)
STEP(mix, y * 2654435761u ^ x)
STEP(spread, y & 1 ? y / 2 + x : y * 3 + 1)
STEP(fold, (y & 65535) + (y >> 16) + x)
STEP(select_one, y > x ? y - x : x - y)

static uint32_t (*const steps[])(uint32_t) = {add, turn, mix, spread, fold, select_one, turn, add};

int main(void) {
	uint32_t x = 1;
	for (int i = 0; i < ROUNDS + ROUNDS / 1000 * PLANTED; i++)
		x = steps[(x >> 3 ^ (uint32_t)i) % 8](x);
	printf("%u\n", (unsigned)x);
	return 0;
}
