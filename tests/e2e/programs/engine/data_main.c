/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables and constants of every section: initialised or not, read-only or not, with addresses of one another,
 * of functions and of the C library in them, of small and large alignments, common ones, and a copied one
 * (stdout). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

int counters[5] = {1, 2, 3, 4, 5};
static int zeros[64];
static char letters[27] = "abcdefghijklmnopqrstuvwxyz";
const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
static const double halves[] = {0.5, 1.5, 2.5};
_Alignas(64) int aligned_zero[16];
_Alignas(64) int aligned_one[16] = {1};
struct node list_c = {3, NULL, "third"}, list_b = {2, &list_c, "second"}, list_a = {1, &list_b, "first"};
static struct node *heads[] = {&list_a, &list_b, &more_node};
int (*operations[])(const char *) = {puts, count_letters, atoi};
static char *const names[] = {letters, letters + 13, more_name};
int common_counter;
void *const self = (void *)&self;
FILE *const *outputs = &stdout;

static int sum_of(const struct node *node) {
	return node ? node->value + sum_of(node->next) : 0;
}

static const char *classify(int x) {
	switch (x) {
	case 0:
		return "none";
	case 1:
		return "one";
	case 2:
		return "a pair";
	case 3:
		return "some";
	case 4:
		return "four";
	case 5:
		return "many";
	default:
		return "too many";
	}
}

int main(void) {
	for (int i = 0; i < 5; i++)
		zeros[i * 7] += counters[i] * squares[i] + (int)(halves[i % 3] * 2);
	for (int i = 0; i < 3; i++)
		printf("%d %s %d\n", sum_of(heads[i]), names[i], operations[i](letters + 20));
	common_counter += 5;
	more_counts[3]++;
	printf("%d %d %d %d %s\n", zeros[7], zeros[28], common_counter, more_sum(), classify(more_counts[3]));
	printf("%d %d\n", ((size_t)aligned_zero | (size_t)aligned_one) % 64 == 0, self == (const void *)&self);
	printf("%d %d\n", errno, *outputs == stdout);
	return letters[0] != 'a';
}
