/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of machines: the structures of a processor, each value with its standing and its source.
 *
 * A description is a libconfig file (model/machines/NAME.cfg; they are built in). docs/interfero-machine.md, which is
 * installed as interfero-machine(5), specifies the format. */
#ifndef INTERFERO_MODEL_MACHINE_H
#define INTERFERO_MODEL_MACHINE_H

#include "common/buffer.h"
#include "common/error.h"
#include "model/memory/cache.h"
#include "model/predictors/predictor.h"

enum ifr_standing {
	IFR_STANDING_DOCUMENTED,         /* by the maker, or by the work that is modelled */
	IFR_STANDING_REVERSE_ENGINEERED, /* by measurement, published */
	IFR_STANDING_DISPUTED,           /* sources differ */
	IFR_STANDING_ASSUMED,            /* no source: a plausible choice */
	IFR_STANDING_SET,                /* by the user, over the description */
};

struct ifr_machine_note {
	enum ifr_standing standing;
	char *source;
};

/* All numbers of a description but those of predictors. settings.c has names, bounds and meanings. */
enum ifr_setting {
	IFR_CORE_WIDTH,
	IFR_CORE_BRANCH_BYTE, /* address that stands for a branch: 0: of its first byte, 1: of its last */
	IFR_CORE_PAGE_BYTES,
	IFR_L1I_BYTES, /* cache: bytes, ways, line_bytes, policy; 0 bytes: none */
	IFR_L1D_BYTES = IFR_L1I_BYTES + 4,
	IFR_L2_BYTES = IFR_L1D_BYTES + 4,
	IFR_L3_BYTES = IFR_L2_BYTES + 4,
	IFR_ITLB_ENTRIES = IFR_L3_BYTES + 4, /* TLB: entries, ways, policy; 0 entries: none */
	IFR_DTLB_ENTRIES = IFR_ITLB_ENTRIES + 3,
	IFR_STLB_ENTRIES = IFR_DTLB_ENTRIES + 3,
	IFR_BTB1_ENTRIES = IFR_STLB_ENTRIES + 3, /* BTB level: entries, ways, lowest bit of the index */
	IFR_BTB2_ENTRIES = IFR_BTB1_ENTRIES + 3,
	IFR_BTB3_ENTRIES = IFR_BTB2_ENTRIES + 3,
	IFR_RETURN_STACK_ENTRIES = IFR_BTB3_ENTRIES + 3,
	IFR_STORE_BUFFER_ENTRIES,
	IFR_PENALTY_CONDITIONAL, /* this to IFR_PENALTY_STLB: cycles for each event of the kind */
	IFR_PENALTY_INDIRECT,
	IFR_PENALTY_RETURN,
	IFR_PENALTY_BTB,
	IFR_PENALTY_L1I,
	IFR_PENALTY_L1D,
	IFR_PENALTY_L2,
	IFR_PENALTY_LLC,
	IFR_PENALTY_ITLB,
	IFR_PENALTY_DTLB,
	IFR_PENALTY_STLB,
	IFR_PIPELINE_TABLE, /* a machine whose pipeline.issue is 0 has no core (model/core/) */
	IFR_PIPELINE_ISSUE,
	IFR_PIPELINE_RETIRE,
	IFR_PIPELINE_WINDOW,
	IFR_PIPELINE_SCHEDULER,
	IFR_PIPELINE_LOADS,
	IFR_PIPELINE_STORES,
	IFR_PIPELINE_FILLS,
	IFR_PIPELINE_LOAD_LATENCY,
	IFR_PIPELINE_FORWARD,
	IFR_PIPELINE_RENAMED,
	IFR_PIPELINE_COMMIT,
	IFR_PIPELINE_BLOCKED,
	IFR_PIPELINE_ALIAS,
	IFR_PIPELINE_LINE_SPLIT,
	IFR_PIPELINE_PAGE_SPLIT,
	IFR_PIPELINE_CLEAR,
	IFR_PIPELINE_COUNTERS,
	IFR_PIPELINE_WAKEUP,
	IFR_PIPELINE_LONGEST,
	IFR_PIPELINE_UNITS,
	IFR_FETCH_BYTES,
	IFR_FETCH_PREDECODE,
	IFR_FETCH_DECODERS,
	IFR_FETCH_LENGTH_CHANGE,
	IFR_FETCH_QUEUE,
	IFR_FETCH_BUBBLE1,
	IFR_FETCH_BUBBLE2,
	IFR_FETCH_BUBBLE3,
	IFR_FETCH_CALLS,
	IFR_FETCH_INDIRECT,
	IFR_FETCH_TARGETS,
	IFR_FETCH_FAR,
	IFR_FETCH_TAKEN,
	IFR_FETCH_FUSION,
	IFR_FETCH_PREDICTION,
	IFR_FETCH_BRANCHES,
	IFR_FETCH_AHEAD,
	IFR_FETCH_PAIRS,
	IFR_OP_CACHE_SETS, /* 0: none */
	IFR_OP_CACHE_WAYS,
	IFR_OP_CACHE_OPS,
	IFR_OP_CACHE_BRANCHES,
	IFR_OP_CACHE_WINDOW,
	IFR_OP_CACHE_BYTE,
	IFR_OP_CACHE_LINES,
	IFR_OP_CACHE_TAG,
	IFR_OP_CACHE_WIDTH,
	IFR_OP_CACHE_ENDS,
	IFR_OP_CACHE_SWITCH,
	IFR_OP_CACHE_JUMP_BOUNDARY,
	IFR_LOOP_BUFFER_OPS, /* 0: none */
	IFR_LOOP_BUFFER_WINDOWS,
	IFR_LOOP_BUFFER_WINDOW,
	IFR_LOOP_BUFFER_BRANCHES,
	IFR_LOOP_BUFFER_UNROLL,
	IFR_PREFETCH_SOFTWARE, /* 0: software prefetches do nothing but take their slot */
	IFR_PREFETCH_FILL,     /* 0: lines under way by them take fill buffers; 1: they have their own */
	IFR_SETTINGS
};

struct ifr_setting_about {
	const char *group, *name;
	unsigned least, most;
	const char *words; /* names of the values 0, 1, …, separated by spaces; NULL: a number */
	const char *about; /* meaning, and unit */
};
extern const struct ifr_setting_about ifr_settings[IFR_SETTINGS];

struct ifr_machine {
	char *name, *title;
	unsigned values[IFR_SETTINGS];
	struct ifr_machine_note notes[IFR_SETTINGS];
	const struct ifr_predictor *direction;
	unsigned direction_values[IFR_PREDICTOR_PARAMETERS];
	struct ifr_machine_note direction_notes[IFR_PREDICTOR_PARAMETERS + 1]; /* the last is of the kind */
	const struct ifr_target_predictor *indirect;
	unsigned indirect_values[IFR_PREDICTOR_PARAMETERS];
	struct ifr_machine_note indirect_notes[IFR_PREDICTOR_PARAMETERS + 1];
};

/* Resolves a specification whose name is "native": *resolved names the description that a probe kept of this processor,
 * else the nearest built-in one, and *note says so in a line. Other specifications stay, without a note (NULL). The
 * caller frees both. Errors: IFR_E_USAGE if no description is near, with the remedy. */
int ifr_machine_resolve(const char *spec, char **resolved, char **note, struct ifr_error *err);
/* Stores the name of the built-in description that is nearest to this processor. Errors: as above. */
int ifr_machine_nearest(char **name, bool *is_same, struct ifr_error *err);
/* Stores the path where a probe keeps its files of this processor, by CPUID: $XDG_CONFIG_HOME/interfero, else
 * ~/.config/interfero. Errors: IFR_E_ENVIRONMENT without either. */
int ifr_machine_kept_path(const char *ending, char **path, struct ifr_error *err);
/* Returns the path of the description that is kept, NULL if there is none. */
char *ifr_machine_find_kept(void);
/* Opens NAME or FILE, with any number of ",KEY=VALUE": "skylake,predictor=gas-8k,l1d.ways=4"; "native" is resolved.
 * Errors: IFR_E_USAGE for a wrong name, syntax or value, and for values that do not fit together, with file, line, thing
 * and what may stand there; IFR_E_ENVIRONMENT for a file that cannot be read. */
int ifr_machine_open(struct ifr_machine **out, const char *spec, struct ifr_error *err);
void ifr_machine_free(struct ifr_machine *machine);

/* Changes one setting.
 *   key                        value
 *   group.name                 a number or word (l1d.ways, direction.history)
 *   direction, or predictor    a kind, or kind and size in KiB: gshare-16k
 *   indirect                   a kind
 * A kind brings its own initial values. Only the value itself is checked: call ifr_machine_check at the end. */
int ifr_machine_set(struct ifr_machine *machine, const char *key, const char *value, struct ifr_error *err);
/* Checks that the values fit together. */
int ifr_machine_check(const struct ifr_machine *machine, struct ifr_error *err);

/* Prints the whole description, a value a line: key = value, standing, source. */
void ifr_machine_print(const struct ifr_machine *machine, struct ifr_buffer *out);
/* Prints every machine, predictor and setting: a command's help. */
void ifr_machine_print_help(struct ifr_buffer *out);
/* Print, separated by spaces, the names of the built-in descriptions; of the kinds of direction predictors. */
void ifr_machine_print_names(struct ifr_buffer *out);
void ifr_predictor_print_names(struct ifr_buffer *out);

/* Return the shape of a structure, named by its first setting: IFR_L1I_BYTES, IFR_ITLB_ENTRIES, IFR_BTB1_ENTRIES, … */
struct ifr_cache_shape ifr_machine_cache_shape(const struct ifr_machine *machine, enum ifr_setting bytes);
struct ifr_cache_shape ifr_machine_tlb_shape(const struct ifr_machine *machine, enum ifr_setting entries);
struct ifr_cache_shape ifr_machine_btb_shape(const struct ifr_machine *machine, enum ifr_setting entries);
/* The addresses after which entries of the outcome predictor repeat: branches so far apart share an entry, whatever their
 * histories. 0: the predictor has no such entries. */
uint64_t ifr_machine_predictor_span(const struct ifr_machine *machine);
/* The size of a line, the same in all caches; 64 without caches. */
unsigned ifr_machine_line_bytes(const struct ifr_machine *machine);

#endif
