// SPDX-License-Identifier: GPL-3.0-or-later
/* Joins that branch: of two and of many paths, one behind another, in loops, with values that depend on the path, with
 * calls. Prints what they compute. */
#include <stdio.h>

static volatile int seen;

__attribute__((noinline)) static int chain(int x, int y) {
	int r = x;
	switch (x) {
	case 0:
		r = 5;
		break;
	case 1:
		r = y;
		break;
	case 7:
		seen = 2;
		break;
	default:
		seen = 3;
	}
	if (r & y)
		seen = 4;
	else
		r++;
	if (r & 2)
		r += seen;
	if (r > y)
		r -= y;
	return r;
}

__attribute__((noinline)) static int in_loop(int x) {
	int r = x;
	for (int i = 0; i < x; i++) {
		if (r & i)
			seen = i;
		if (seen & 1)
			r += 3;
		else if (r & 4)
			r ^= 5;
		if (r > 100)
			break;
		if (i % 3 == 1)
			printf("%d.", r);
	}
	return r;
}

__attribute__((noinline)) static const char *by_call(int x) {
	char text[16];
	const char *s = x & 1 ? "odd" : "even";
	if (x & 1)
		seen = snprintf(text, sizeof text, "%d", x);
	else
		seen = 1;
	if (seen > 1 || s[0] == 'e')
		return s;
	return "small";
}

int main(void) {
	for (int i = 0; i < 20; i++)
		printf("%d %d %s\n", chain(i, i * 3), in_loop(i), by_call(i));
	return 0;
}
