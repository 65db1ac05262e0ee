/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder. */
#ifndef INTERFERO_MODEL_MACHINE_PARTS_H
#define INTERFERO_MODEL_MACHINE_PARTS_H

#include "model/machines/machine.h"

/* The descriptions that are built in: a file made from model/machines/NAME.cfg when the program is built. */
struct ifr_machine_text {
	const char *name, *text;
};
extern const struct ifr_machine_text ifr_machine_texts[]; /* name NULL ends it */

extern const char *const ifr_standings[]; /* by enum ifr_standing, then NULL */

/* Where a key leads: the place of a value, of its note, and what may stand there. */
struct ifr_place {
	unsigned *value;
	struct ifr_machine_note *note;
	unsigned least, most;
	const char *words;
};
/* False if there is no such setting. */
bool ifr_place_find(struct ifr_machine *machine, const char *group, const char *name, struct ifr_place *place);
/* 0, or what is wrong with the value of a setting, called what in the message. */
int ifr_place_put(const struct ifr_place *place, const char *value, const char *what, struct ifr_error *err);

/* Sets a predictor's kind and its initial values. group is direction or indirect. */
int ifr_machine_kind(struct ifr_machine *machine, const char *group, const char *kind, const char *what,
                     struct ifr_error *err);
void ifr_note_put(struct ifr_machine_note *note, enum ifr_standing standing, const char *source);
/* A description from its text; path for messages. */
int ifr_machine_read(struct ifr_machine **out, const char *name, const char *path, const char *text,
                     struct ifr_error *err);

#endif
