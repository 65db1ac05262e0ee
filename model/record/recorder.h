/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two recorders. Both write the same trace of a program. The tool of Valgrind is faster and needs nothing installed;
 * the plugin of qemu-x86_64 shares no code with it, and each is the other's oracle. */
#ifndef IFR_MODEL_RECORDERS_H
#define IFR_MODEL_RECORDERS_H

#include "common/error.h"

enum ifr_recorder {
	IFR_RECORDER_AUTO, /* Valgrind's where it is built, else qemu's */
	IFR_RECORDER_VALGRIND,
	IFR_RECORDER_QEMU,
	IFR_RECORDERS
};

/* File names of the recorders, as installed. */
#define IFR_RECORDER_TOOL "recorder-valgrind"
#define IFR_RECORDER_PLUGIN "recorder-qemu.so"

/* Returns the recorder of a name: auto, valgrind, qemu; IFR_RECORDERS for others. */
enum ifr_recorder ifr_recorder_named(const char *name);

/* Where recordings run: Valgrind's tool, or qemu-x86_64. */
struct ifr_recorder_choice {
	enum ifr_recorder recorder; /* not IFR_RECORDER_AUTO */
	char *file;                 /* to be executed; the caller frees it */
};

/* Chooses a recorder. tool: the installed file of Valgrind's tool. Errors: IFR_E_ENVIRONMENT if the tool is missing, or
 * there is no qemu-x86_64 in PATH, or it has no plugins. */
int ifr_recorder_choose(enum ifr_recorder wanted, const char *tool, struct ifr_recorder_choice *choice,
                        struct ifr_error *err);

#endif
