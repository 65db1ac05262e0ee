/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runtime is asked to do: one table of settings, each with its variable. A value that is not understood
 * changes nothing and is told of in refused. */
#ifndef IFR_RUNTIME_OPTIONS_H
#define IFR_RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_mode { HEAP_GLIBC, HEAP_SHUFFLE, HEAP_DIEHARD };
enum block_policy { BLOCKS_GLIBC, BLOCKS_ALIGNED, BLOCKS_RANDOM, BLOCKS_ALIAS_FREE };

struct options {
	uint64_t heap;          /* enum heap_mode */
	uint64_t heap_seed;     /* where small objects lie */
	uint64_t fullness_pct;  /* diehard: most of a size class's slots that are in use */
	uint64_t window_slots;  /* shuffle: among how many free slots one is chosen */
	uint64_t granule_bytes; /* sizes are rounded up to a multiple of it */
	uint64_t blocks;        /* enum block_policy */
	uint64_t blocks_seed;   /* where blocks lie */
	uint64_t stack_bytes;   /* between main's caller and main, a multiple of 16 */
	uint64_t repeats;       /* of a region marked IFR_REPEAT */
	uint64_t events;        /* perf events that regions count, from descriptor IFR_EVENT_FD on */
	char log[512];          /* file of the allocation log; "": none */
	char report[48];        /* "DESCRIPTOR:NONCE" of the launcher's page; "": none */
	char refused[160];      /* the first setting that was not understood; "" if none */
};

/* One row of the table: name is the word in the short form, variable the environment variable of its own. */
struct option {
	const char *name;
	const char *variable;
	const char *const *words; /* NULL-terminated; NULL: a number, or text */
	uint64_t initial, least, most;
	size_t text_bytes; /* room for a text with its end; 0: not a text */
	size_t offset;     /* in struct options */
	const char *meaning;
};
extern const struct option options_table[];
enum { OPTIONS_COUNT = 12 };

/* The variable that holds all settings in the short form, "1;heap=diehard;heap-seed=17": its name and contents say
 * nothing of interfero to a program that looks, and its length is the launcher's to choose. It wins over the
 * variables of the table. */
#define OPTIONS_SHORT "Q"
#define OPTIONS_SHORT_PREFIX "1;"

void options_init(struct options *options);
/* Sets one by its short name; false, and refused written, if there is no such name or value. */
bool options_set(struct options *options, const char *name, size_t name_length, const char *text, size_t length);
/* From the environment the process started with. */
void options_read(struct options *options);

#endif
