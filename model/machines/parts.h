/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of this folder. */
#ifndef INTERFERO_MODEL_MACHINE_PARTS_H
#define INTERFERO_MODEL_MACHINE_PARTS_H

#include "model/machines/machine.h"

/* The built-in descriptions, from a file that the build makes of model/machines/NAME.cfg. */
struct ifr_machine_text {
	const char *name, *text;
};
extern const struct ifr_machine_text ifr_machine_texts[]; /* a name of NULL ends the list */

extern const char *const ifr_standings[]; /* by enum ifr_standing, then NULL */

/* A setting of one machine: its value, its note, and the values allowed. */
struct ifr_setting_slot {
	unsigned *value;
	struct ifr_machine_note *note;
	unsigned least, most;
	const char *words;
};
/* Finds a setting. Returns false if there is none of that name. */
bool ifr_setting_slot_find(struct ifr_machine *machine, const char *group, const char *name,
                           struct ifr_setting_slot *slot);
/* Assigns a value to a setting, which messages call what. */
int ifr_setting_slot_assign(const struct ifr_setting_slot *slot, const char *value, const char *what,
                            struct ifr_error *err);

/* Sets a predictor's kind and its initial values. group: direction or indirect. */
int ifr_machine_set_predictor(struct ifr_machine *machine, const char *group, const char *kind, const char *what,
                              struct ifr_error *err);
void ifr_machine_note_assign(struct ifr_machine_note *note, enum ifr_standing standing, const char *source);
/* Reads a description from its text; path is for messages. */
int ifr_machine_read(struct ifr_machine **out, const char *name, const char *path, const char *text,
                     struct ifr_error *err);

#endif
