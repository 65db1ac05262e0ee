/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree that is allocated and traversed in preorder, two nodes a line: the load of the data misses at every other node.
 * Ref: Mowry and Luk 1997, figure 3. */
#include "start.h"

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

static long visit(const struct node *p) {
	if (!p)
		return 0;
	long sum = p->data[0]; /* LOAD */
	sum += visit(p->left);
	return sum + visit(p->right);
}

static int run(void) {
	const struct node *root = build(DEPTH);
	long sum = 0;
	for (int i = 0; i < TRAVERSALS; i++)
		sum += visit(root);
	return (int)sum;
}
