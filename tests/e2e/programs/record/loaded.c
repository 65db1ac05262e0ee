/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library that loads.c opens. */
static int table[4096];

int touch(int i);
int touch(int i) {
	return table[i * 100] += i;
}
