/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of machines: the structures of a processor, each value with its standing and its source.
 *
 * A description is a libconfig file (model/machines/NAME.cfg; they are built in). Its groups are those of
 * IFR_GROUPS and the two predictors. A value is written plainly, and then has the standing and source of its
 * group, or as ( value, "standing", "source" ). */
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
	IFR_STANDING_ASSUMED,            /* nobody says: chosen to be plausible */
	IFR_STANDING_SET,                /* by the user, over the description */
};

struct ifr_machine_note {
	enum ifr_standing standing;
	char *source;
};

/* Every number of a description but those of predictors; settings.c says their names, bounds and meanings. */
enum ifr_setting {
	IFR_CORE_WIDTH,
	IFR_CORE_BRANCH_BYTE, /* 0: a branch is known by the address of its first byte, 1: of its last */
	IFR_CORE_PAGE_BYTES,
	IFR_L1I_BYTES, /* of a cache: bytes, ways, line_bytes, policy; 0 bytes: there is none */
	IFR_L1D_BYTES = IFR_L1I_BYTES + 4,
	IFR_L2_BYTES = IFR_L1D_BYTES + 4,
	IFR_L3_BYTES = IFR_L2_BYTES + 4,
	IFR_ITLB_ENTRIES = IFR_L3_BYTES + 4, /* of a TLB: entries, ways, policy; 0 entries: there is none */
	IFR_DTLB_ENTRIES = IFR_ITLB_ENTRIES + 3,
	IFR_STLB_ENTRIES = IFR_DTLB_ENTRIES + 3,
	IFR_BTB1_ENTRIES = IFR_STLB_ENTRIES + 3, /* of a BTB's level: entries, ways, lowest bit of the index */
	IFR_BTB2_ENTRIES = IFR_BTB1_ENTRIES + 3,
	IFR_BTB3_ENTRIES = IFR_BTB2_ENTRIES + 3,
	IFR_RETURN_STACK_ENTRIES = IFR_BTB3_ENTRIES + 3,
	IFR_PENALTY_CONDITIONAL, /* all of these: cycles for each event of that kind */
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
	struct ifr_machine_note direction_notes[IFR_PREDICTOR_PARAMETERS + 1]; /* the last is of the kind itself */
	const struct ifr_target_predictor *indirect;
	unsigned indirect_values[IFR_PREDICTOR_PARAMETERS];
	struct ifr_machine_note indirect_notes[IFR_PREDICTOR_PARAMETERS + 1];
};

/* NAME or FILE, then any number of ",KEY=VALUE": as "skylake,predictor=gas-8k,l1d.ways=4". What is wrong (a name,
 * a syntax, a value, values that do not go together) is IFR_E_USAGE, with the file, the line, the thing and what
 * may stand there; a file that cannot be read is IFR_E_ENVIRONMENT. */
int ifr_machine_open(struct ifr_machine **out, const char *spec, struct ifr_error *err);
void ifr_machine_free(struct ifr_machine *machine);

/* Changes one setting. key is "group.name" (l1d.ways, direction.history) or direction, its other name predictor,
 * or indirect, whose values are a kind, for direction also with a size in KiB: gshare-16k. A kind brings its own
 * initial values. Only the value itself is checked: call ifr_machine_check after the last change. */
int ifr_machine_set(struct ifr_machine *machine, const char *key, const char *value, struct ifr_error *err);
/* Whether the values go together. */
int ifr_machine_check(const struct ifr_machine *machine, struct ifr_error *err);

/* The whole description as text, a value a line: key = value, then standing and source. */
void ifr_machine_print(const struct ifr_machine *machine, struct ifr_buffer *out);
/* Every machine, predictor and setting in words: for a command's help. */
void ifr_machine_print_help(struct ifr_buffer *out);
/* The names of the descriptions that are built in, with spaces between; and every kind of predictor. */
void ifr_machine_print_names(struct ifr_buffer *out);
void ifr_predictor_print_names(struct ifr_buffer *out);

/* Shapes from the first setting of a structure: IFR_L1I_BYTES, IFR_ITLB_ENTRIES, IFR_BTB1_ENTRIES, … */
struct ifr_cache_shape ifr_machine_cache_shape(const struct ifr_machine *machine, enum ifr_setting bytes);
struct ifr_cache_shape ifr_machine_tlb_shape(const struct ifr_machine *machine, enum ifr_setting entries);
struct ifr_cache_shape ifr_machine_btb_shape(const struct ifr_machine *machine, enum ifr_setting entries);

#endif
