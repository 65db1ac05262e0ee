/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typical requests to an allocator: trees of small nodes, arrays that grow, large blocks that overlap in time,
 * pages. With an argument it prints where each lies. Looks at no address otherwise, and hands none to a string
 * function. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/interfero.h"

enum { KEYS = 400, BLOCKS = 6, WORDS = 10000, MOST = 160000, ROUNDS = 3 };

struct node {
	struct node *left, *right;
	unsigned key;
};

static unsigned long state = 1;
static FILE *places;

static unsigned draw(void) {
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33);
}

static void *got(void *memory) {
	if (!memory)
		exit(4);
	if (places)
		fprintf(places, "%p\n", memory);
	return memory;
}

static struct node *insert(struct node *node, unsigned key) {
	if (!node) {
		node = got(malloc(sizeof *node));
		*node = (struct node){.key = key};
	} else if (key < node->key) {
		node->left = insert(node->left, key);
	} else {
		node->right = insert(node->right, key);
	}
	return node;
}

static unsigned sum(const struct node *node) {
	return node ? node->key + sum(node->left) + sum(node->right) : 0;
}

static void drop(struct node *node) {
	if (!node)
		return;
	drop(node->left);
	drop(node->right);
	free(node);
}

/* Two in turn: neither can grow where it is, and large ones move by their pages. */
static unsigned grow(void) {
	unsigned *array[2] = {NULL, NULL}, total = 0;
	for (size_t count = 1; count < MOST; count = count * 3 / 2 + 1)
		for (int which = 0; which < 2; which++) {
			array[which] = got(realloc(array[which], count * sizeof **array));
			for (size_t i = count / 2; i < count; i++)
				array[which][i] = draw();
			total += array[which][count / 4];
		}
	free(array[0]);
	free(array[1]);
	return total;
}

static unsigned overlap(void) {
	unsigned *block[BLOCKS], total = 0;
	for (int i = 0; i < BLOCKS; i++)
		block[i] = got(calloc(WORDS + 20000u * (unsigned)i, sizeof **block));
	for (int j = 0; j < WORDS; j++)
		total += block[j % BLOCKS][j] += block[(j + 1) % BLOCKS][j] + (unsigned)j;
	for (int i = 0; i < BLOCKS; i++)
		free(block[(i * 5 + 1) % BLOCKS]);
	return total;
}

static unsigned page(void) {
	void *memory;
	unsigned total = 0;
	if (posix_memalign(&memory, 4096, 5000))
		exit(4);
	unsigned *words = got(memory);
	for (unsigned i = 0; i < 1250; i++)
		words[i] = i;
	for (unsigned i = 0; i < 1250; i += 3)
		total += words[i];
	free(memory);
	return total;
}

static unsigned work(void) {
	unsigned total = 0;
	struct node *kept = NULL;
	for (int round = 0; round < ROUNDS; round++) {
		struct node *tree = NULL;
		for (int i = 0; i < KEYS; i++)
			tree = insert(tree, draw());
		kept = insert(kept, draw());
		total += sum(tree) + grow() + overlap() + page() + sum(kept);
		drop(tree);
	}
	drop(kept);
	return total;
}

int main(int argc, char **argv) {
	(void)argv;
	places = argc > 1 ? stdout : NULL;
	IFR_BEGIN("work");
	unsigned total = work();
	IFR_END;
	printf("%u\n", total);
	return 0;
}
