/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What loads.c opens. */
static int table[4096];

int touch(int i);
int touch(int i) {
	return table[i * 100] += i;
}
