/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen targets of a table of jumps, called in an order that repeats after 1024 calls. As they ship they are alike in
 * twelve address bits, so that a predictor by path history tells them apart badly. BEST: all bits differ. */
#include <stdint.h>
#include <stdio.h>

enum { CALLS = 6000000, ORDER = 1024 };

#ifdef BEST
#define GAP 64
#else
#define GAP 4096 - 64
#endif
#define TARGET(n)                                                   \
	__attribute__((noipa, aligned(64))) uint32_t f##n(uint32_t x) { \
		return x + 1 + n;                                           \
	}                                                               \
	__attribute__((noipa, aligned(64))) void between##n(void) {     \
		__asm__ volatile(".skip %c0" : : "i"(GAP - 1));             \
	}
TARGET(0)
TARGET(1)
TARGET(2)
TARGET(3)
TARGET(4)
TARGET(5)
TARGET(6)
TARGET(7)
TARGET(8)
TARGET(9)
TARGET(10)
TARGET(11)
TARGET(12)
TARGET(13)
TARGET(14)
TARGET(15)

static uint32_t (*const target[])(uint32_t) = {f0, f1, f2,  f3,  f4,  f5,  f6,  f7,
                                               f8, f9, f10, f11, f12, f13, f14, f15};

int main(void) {
	static unsigned char order[ORDER];
	uint32_t state = 12345, x = 0;
	for (int i = 0; i < ORDER; i++) {
		state = state * 1664525 + 1013904223;
		order[i] = (unsigned char)(state >> 28);
	}
	for (int i = 0; i < CALLS; i++)
		x = target[order[i % ORDER]](x);
	printf("%u\n", x);
}
