/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of each kind that the compiler can prefetch for; marked lines are advised. Prints sums, which no prefetch
 * changes. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	long value;
	char rest[104];
};
struct tree {
	struct tree *left, *right;
	long data;
};

long list(struct node *p) {
	long sum = 0;
	for (; p; p = p->next)
		sum += p->value * 3; /* LIST */
	return sum;
}

long gather(const int *index, const long *table, int count) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		sum += table[index[i]]; /* GATHER */
	return sum;
}

long strided(const long *values, int count) {
	long sum = 0;
	for (int i = 0; i < count; i += 9)
		sum ^= values[i]; /* STRIDED */
	return sum;
}

long visit(struct tree *t) {
	if (!t)
		return 0;
	long sum = t->data; /* VISIT */
	return sum + visit(t->left) + 2 * visit(t->right);
}

long look(const long *keys, const long *table, int count, unsigned mask) {
	long found = 0;
	for (int i = 0; i < count; i++) {
		const unsigned bucket = (unsigned)(keys[i] * 2654435761U) >> 7 & mask;
		found += table[bucket] == keys[i]; /* LOOK */
	}
	return found;
}

long chains(struct node *const *table, int count) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		for (const struct node *p = table[i]; p; p = p->next)
			sum += p->value ^ i; /* CHAINS */
	return sum;
}

long divided(const long *keys, const long *table, int count, unsigned long size) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		sum += table[(unsigned long)keys[i] % size]; /* DIVIDED */
	return sum;
}

static long values[100000];

static __attribute__((noipa)) long compare(const long *value) {
	return *value + 1; /* COMPARE */
}

long calls(int count) {
	long sum = 0;
	unsigned state = 1, next = 0;
	for (int i = 0; i < count; i++) {
		state = state * 1103515245U + 12345U;
		if (state >> 31)
			sum += compare(&values[0]);
		else
			sum -= compare(&values[next++ * 8 % 90000]); /* CALL */
	}
	return sum;
}

static struct tree *grow(int depth) {
	if (!depth)
		return NULL;
	struct tree *t = malloc(sizeof *t);
	t->data = depth;
	t->left = grow(depth - 1);
	t->right = depth % 3 ? grow(depth - 1) : NULL;
	return t;
}

static struct node *first;

/* The address of its load comes from no parameter. */
static __attribute__((noinline)) long walk(long start) {
	long sum = start;
	for (const struct node *p = first; p; p = p->next)
		sum += p->value; /* WALK */
	return sum;
}

long walk_cold(long n) {
	return walk(n) + 1; /* COLD */
}

long walk_hot(long n) {
	return walk(n) + 2; /* HOT */
}

int main(void) {
	struct node *head = NULL;
	int index[1000];
	long *table = malloc(4096 * sizeof *table);
	for (int i = 0; i < 1000; i++) {
		struct node *node = malloc(sizeof *node);
		node->next = head;
		node->value = i;
		head = node;
		index[i] = i * 37 % 4096;
	}
	for (int i = 0; i < 4096; i++)
		table[i] = i * 7;
	for (int i = 0; i < 100000; i++)
		values[i] = i;
	printf("%ld %ld %ld %ld %ld %ld\n", list(head), gather(index, table, 1000), strided(table, 4096),
	       visit(grow(12)), look(table, table, 4000, 4095), calls(1000));
	first = head;
	printf("%ld %ld\n", walk_cold(1), walk_hot(2));
	struct node *buckets[64] = {NULL};
	for (struct node *p = head, *next; p; p = next) {
		next = p->next;
		p->next = buckets[p->value * 7 % 48];
		buckets[p->value * 7 % 48] = p;
	}
	printf("%ld %ld\n", chains(buckets, 64), divided(table, table, 4096, 4001));
	return 0;
}
