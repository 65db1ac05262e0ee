/* SPDX-License-Identifier: GPL-3.0-or-later */
struct node {
	int value;
	struct node *next;
	const char *name;
};

extern struct node list_a, list_b, list_c, more_node;
extern char more_name[];
extern int more_counts[8], common_counter;
int count_letters(const char *text);
int more_sum(void);
