/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of machines: the structures of a processor, each value with its standing and its source.
 *
 * A description is a libconfig file (model/machines/NAME.cfg; they are built in). docs/interfero-machine.md, which is
 * installed as interfero-machine(5), specifies the format. */
#ifndef INTERFERO_MODEL_MACHINE_H
#define INTERFERO_MODEL_MACHINE_H

#include "common/buffer.h"
#include "common/error.h"
#include "model/machines/settings.h"
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
