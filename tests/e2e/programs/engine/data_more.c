/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "data.h"

char more_name[] = "more";
int more_counts[8] = {0, 1, 2, 3};
struct node more_node = {40, &list_c, "elsewhere"};
int common_counter;
static const int weights[] = {3, 1, 4, 1, 5, 9, 2, 6};
static char scratch[3];
static short shorts[] = {1, 2, 3};
static _Alignas(128) const char wide[] = "wide";

int count_letters(const char *text) {
	scratch[0] = *text;
	return (int)strlen(text) + scratch[0] + shorts[1] + wide[1];
}

int more_sum(void) {
	int sum = common_counter;
	for (int i = 0; i < 8; i++)
		sum += more_counts[i] * weights[i];
	return sum;
}
