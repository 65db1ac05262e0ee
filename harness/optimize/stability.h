/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many functions an edit moves: the stability of a layout. */
#ifndef IFR_HARNESS_STABILITY_H
#define IFR_HARNESS_STABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A unit of code in a layout. */
struct stability_unit {
	uint64_t address, bytes, room; /* room: what the plan keeps free for it with its own bytes; 0: nothing */
	unsigned align;
	bool counts; /* a function of the program, no unit of a start file */
};

/* Counts the other units that move when one grows, among those that count; units: by address, without overlaps. */
size_t stability_count_moved(const struct stability_unit *units, size_t count, size_t grown, uint64_t bytes);

/* The mean share of other units that move when one grows, each in its turn, among those that count; 0 for a single
 * one. */
double stability_mean_moved(const struct stability_unit *units, size_t count, uint64_t bytes);

#endif
