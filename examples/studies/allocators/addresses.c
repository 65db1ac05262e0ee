/* SPDX-License-Identifier: GPL-3.0-or-later */
/* addresses FLOATS...: two arrays of each length, allocated one after the other; prints the length and both addresses.
 * Ref: Melhus 2013, table 4.5. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		const size_t bytes = strtoul(argv[i], NULL, 10) * sizeof(float);
		void *first = malloc(bytes), *second = malloc(bytes);
		if (!first || !second)
			return 4;
		printf("%s %p %p\n", argv[i], first, second);
		free(second);
		free(first);
	}
	return 0;
}
