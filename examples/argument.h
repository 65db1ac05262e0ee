/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of an example program: whole numbers, all optional. */
#ifndef IFR_EXAMPLES_ARGUMENT_H
#define IFR_EXAMPLES_ARGUMENT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct argument {
	const char *name;
	unsigned long initial, minimum, maximum;
};

/* Parses a number of decimal digits alone. Another text, or a number out of range, ends the program with a message
 * and status 2. */
static inline unsigned long argument_parse(const char *program, const struct argument *argument,
                                           const char *text) {
	errno = 0;
	unsigned long value = strtoul(text, NULL, 10);
	if (*text != '\0' && text[strspn(text, "0123456789")] == '\0' && errno == 0 && value >= argument->minimum &&
	    value <= argument->maximum)
		return value;
	fprintf(stderr, "%s: %s must be a whole number from %lu to %lu, not '%s'\n", program, argument->name,
	        argument->minimum, argument->maximum, text);
	exit(2);
}

/* Fills value[0 … count-1] from the command line; a missing argument has its initial value. More arguments than
 * count end the program with a message and status 2. */
static inline void arguments_parse(int argc, char **argv, const struct argument *argument, int count,
                                   unsigned long *value) {
	if (argc > count + 1) {
		fprintf(stderr, "%s: unexpected argument '%s'; usage: %s", argv[0], argv[count + 1], argv[0]);
		for (int i = 0; i < count; i++)
			fprintf(stderr, " [%s]", argument[i].name);
		fputc('\n', stderr);
		exit(2);
	}
	for (int i = 0; i < count; i++)
		value[i] = i + 1 < argc ? argument_parse(argv[0], &argument[i], argv[i + 1]) : argument[i].initial;
}

#endif
