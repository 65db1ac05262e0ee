/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree in preorder, two nodes in 64 bytes. A left child shares the bytes of a first node, and a right child those of a
 * second one's left subtree, which was visited just before: a copy of the function for each kind of node prefetches the
 * other child alone. Ref: Mowry and Luk 1997, figure 3 and section 6 (tsp). */
#include "cases.h"

enum { DEPTH = 15, NODES = (1 << DEPTH) - 1, TRAVERSALS = 4 };

static struct node {
	struct node *left, *right;
	long data[2];
} nodes[NODES] __attribute__((aligned(LINE)));
static int used;

static struct node *build(int depth) {
	struct node *node = &nodes[used++];
	node->left = depth > 1 ? build(depth - 1) : 0;
	node->right = depth > 1 ? build(depth - 1) : 0;
	return node;
}

static long visit_second(const struct node *p);

static __attribute__((noinline)) long visit(const struct node *p) {
	if (!p)
		return 0;
	prefetch_if(SUMMARY, p->left);
	prefetch_if(SUMMARY || CORRELATION, p->right);
	const long sum = p->data[0] + (CORRELATION ? visit_second(p->left) : visit(p->left));
	return sum + visit(p->right);
}

static __attribute__((noinline)) long visit_second(const struct node *p) {
	if (!p)
		return 0;
	prefetch_if(1, p->left);
	const long sum = p->data[0] + visit(p->left);
	return sum + visit_second(p->right);
}

static int run(void) {
	const struct node *root = build(DEPTH);
	long sum = 0;
	for (int i = 0; i < TRAVERSALS; i++)
		sum += visit(root);
	return (int)sum;
}
