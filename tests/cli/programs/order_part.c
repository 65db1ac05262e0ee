/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled once a part, with -DPART=one and so on. */
#include "order.h"

#define JOIN(a, b) a##_##b
#define NAME_OF(part, name) JOIN(part, name)
#define NAME(name) NAME_OF(PART, name)
#define TEXT_OF(part) #part
#define TEXT(part) TEXT_OF(part)
#define OUTLINE __attribute__((noinline, noclone))

static const char *mark __attribute__((section("order_marks"), used)) = TEXT(PART);

__attribute__((weak)) const char *order_winner(void) {
	return TEXT(PART);
}

static void __attribute__((constructor)) NAME(start)(void) {
	order_note(mark);
}

static OUTLINE unsigned NAME(turn)(unsigned value) {
	return value << 3 | value >> 29;
}

static OUTLINE unsigned NAME(step)(unsigned value) {
	switch (value % 6) {
	case 0:
		return value + 17;
	case 1:
		return NAME(turn)(value);
	case 2:
		return value * 5;
	case 3:
		return value ^ 0x5555;
	case 4:
		return NAME(turn)(value + 1);
	default:
		return value - 3;
	}
}

static OUTLINE unsigned NAME(twice)(unsigned value) {
	return NAME(step)(NAME(step)(value));
}

unsigned NAME(run)(unsigned value) {
	unsigned (*const actions[])(unsigned) = {NAME(turn), NAME(step), NAME(twice)};
	for (unsigned i = 0; i < 100; i++)
		value = actions[(value + i) % 3](value);
	return value;
}
