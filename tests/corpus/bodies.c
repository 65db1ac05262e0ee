/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bodies PLAIN VARIANT: compares the functions of two object files without their nops (harness/verify/bodies.h).
 *
 * Prints the first differences, then the numbers of functions, differing functions, instructions and differing data
 * sections. Exits with 1 if anything differs. */
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "harness/verify/bodies.h"

int main(int argc, char **argv) {
	struct ifr_buffer plain = {0}, variant = {0}, finding = {0};
	struct bodies bodies = {0};
	struct ifr_error err = {0};
	if (argc != 3) {
		fprintf(stderr, "usage: bodies PLAIN.o VARIANT.o\n");
		return 2;
	}
	if (ifr_file_read(argv[1], 0, &plain, &err) || ifr_file_read(argv[2], 0, &variant, &err) ||
	    bodies_compare(&plain, argv[1], &variant, argv[2], &bodies, &finding, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 4;
	}
	for (char *line = finding.length ? strtok(finding.data, "\n") : NULL; line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
	printf("%zu functions, %zu differ, %zu instructions, %zu data sections differ\n", bodies.functions,
	       bodies.differing, bodies.instructions, bodies.data_differing);
	return bodies.differing || bodies.data_differing;
}
