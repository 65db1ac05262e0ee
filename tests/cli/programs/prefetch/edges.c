/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses ahead that may not be read: fields and elements behind the last readable page, and pointers to nowhere. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* The program never reads the successor of a node that is the last: there may be nothing. */
struct node {
	long last, value;
	struct node *next;
};

long list(const struct node *p) {
	long sum = 0;
	for (;;) {
		sum += p->value; /* LIST */
		if (p->last)
			return sum;
		p = p->next;
	}
}

long gather(const int *index, const long *table, int count) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		sum += table[index[i]]; /* GATHER */
	return sum;
}

struct tree {
	long data, leaf;
	struct tree *left, *right;
};

long visit(const struct tree *t) {
	long sum = t->data; /* VISIT */
	if (t->leaf)
		return sum;
	return sum + visit(t->left) + visit(t->right);
}

long chains(const struct node *const *table, int count) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		for (const struct node *p = table[i]; p; p = p->last ? NULL : p->next)
			sum += p->value; /* CHAINS */
	return sum;
}

long divided(const unsigned *keys, const long *table, int count, unsigned size) {
	long sum = 0;
	for (int i = 0; i < count; i++)
		if (size)
			sum += table[keys[i] % size]; /* DIVIDED */
	return sum;
}

/* The last bytes of a page behind which nothing can be read. */
static char *edge(size_t bytes) {
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + PAGE, PAGE, PROT_NONE);
	return pages + PAGE - bytes;
}

int main(void) {
	/* Only what the program reads of the last ones is there. */
	struct node *last = (struct node *)edge(2 * sizeof(long));
	struct tree *leaf = (struct tree *)edge(2 * sizeof(long));
	const long one[2] = {1, 5};
	memcpy(last, one, sizeof one);
	const long other[2] = {7, 1};
	memcpy(leaf, other, sizeof other);
	struct node wild = {1, 2, (struct node *)0x123456789abcdef0}, first = {0, 3, last}, none = {1, 4, NULL};
	struct tree lost = {1, 1, (struct tree *)0xfedcba9876543210, NULL}, root = {2, 0, leaf, &lost};
	int *index = (int *)edge(100 * sizeof *index);
	static long table[100];
	for (int i = 0; i < 100; i++)
		index[i] = (i * 7) % 100, table[i] = i;
	const struct node **buckets = (const struct node **)edge(3 * sizeof *buckets);
	buckets[0] = &wild, buckets[1] = NULL, buckets[2] = last;
	printf("%ld %ld %ld %ld %ld %ld", list(&wild), list(&first), list(&none), gather(index, table, 100),
	       visit(&root), chains(buckets, 3));
	printf(" %ld %ld\n", divided((unsigned *)index, table, 100, 50), divided((unsigned *)index, table, 100, 0));
	return 0;
}
