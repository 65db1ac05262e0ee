/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runtime's settings: one table, with an environment variable for each. An invalid value changes nothing and
 * is reported in `refused`. */
#ifndef IFR_RUNTIME_OPTIONS_H
#define IFR_RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_mode { HEAP_GLIBC, HEAP_SHUFFLE, HEAP_DIEHARD };
enum text_pages { TEXT_FILE, TEXT_HUGE };
enum block_policy { BLOCKS_GLIBC, BLOCKS_ALIGNED, BLOCKS_RANDOM, BLOCKS_ALIAS_FREE };

struct options {
	uint64_t heap;          /* enum heap_mode */
	uint64_t heap_seed;     /* seed of the placement of small objects */
	uint64_t fullness_pct;  /* diehard: largest share of a size class's slots in use */
	uint64_t window_slots;  /* shuffle: number of free slots from which one is drawn */
	uint64_t granule_bytes; /* sizes are rounded up to a multiple of it */
	uint64_t blocks;        /* enum block_policy */
	uint64_t blocks_seed;   /* seed of the placement of blocks */
	uint64_t site_offset;   /* page offset of blocks of these sites; OS_PAGE_BYTES: spread by their number */
	uint64_t stack_bytes;   /* between the frame of main's caller and main's, a multiple of 16 */
	uint64_t text;          /* enum text_pages */
	uint64_t repeats;       /* executions of an IFR_REPEAT statement */
	uint64_t events;        /* perf events counted in regions, from descriptor IFR_EVENT_FD on */
	char sites[96];         /* functions of the program whose blocks have an own page offset; "": none */
	char log[512];          /* file of the allocation log; "": none */
	char report[48];        /* "DESCRIPTOR:NONCE" of the launcher's page; "": none */
	char refused[160];      /* the first setting that was not understood; "" if none */
};

/* A row of the table. name: in the short form. variable: the environment variable. */
struct option {
	const char *name;
	const char *variable;
	const char *const *words; /* NULL-terminated; NULL: a number, or text */
	uint64_t initial, least, most;
	size_t text_bytes; /* size of a text field; 0: not a text */
	size_t offset;     /* in struct options */
	const char *meaning;
};
extern const struct option options_table[];
enum { OPTIONS_COUNT = 15 };

/* The variable that holds all settings in the short form, "1;heap=diehard;heap-seed=17". Its name and value do not
 * mention interfero, and the launcher chooses its length. It takes precedence over the variables of the table. */
#define OPTIONS_SHORT "Q"
#define OPTIONS_SHORT_PREFIX "1;"

void options_init(struct options *options);
/* Sets an option by its short name. Returns false, and writes refused, if name or value is invalid. */
bool options_set(struct options *options, const char *name, size_t name_length, const char *text, size_t length);
/* Reads the options from the initial environment. */
void options_read(struct options *options);

#endif
