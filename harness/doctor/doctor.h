/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The doctor: looks at the machine and says what it can measure, what disturbs it and what to do about it. It
 * leaves nothing changed and takes about a second. */
#ifndef IFR_HARNESS_DOCTOR_H
#define IFR_HARNESS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"

enum { IFR_CHECKUP_SCHEMA_VERSION = 1 };

enum ifr_check_status {
	IFR_CHECK_OK,
	IFR_CHECK_WARN, /* interfero works, with less or with more noise */
	IFR_CHECK_BAD   /* interfero cannot do its main job */
};

struct ifr_check {
	const char *name;
	enum ifr_check_status status;
	char *finding;
	char *remedy; /* "" when ok */
};

struct ifr_checkup {
	struct ifr_check *checks;
	size_t count;
};

void ifr_checkup_init(struct ifr_checkup *checkup);
void ifr_checkup_release(struct ifr_checkup *checkup);

/* Adds a check; the remedy is copied and dropped if all is well. */
void ifr_checkup_add(struct ifr_checkup *checkup, const char *name, enum ifr_check_status status,
                     const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* All checks there are, in the order of the table. */
void ifr_checkup_run(struct ifr_checkup *checkup);

/* The groups of checks, one file each. */
void ifr_checkup_machine(struct ifr_checkup *checkup);  /* processor, frequency, virtual machine, … */
void ifr_checkup_counters(struct ifr_checkup *checkup); /* ASLR and performance events */
void ifr_checkup_noise(struct ifr_checkup *checkup);    /* load, steal and the noise of a clocked loop */
void ifr_checkup_tools(struct ifr_checkup *checkup);    /* linker, plugin, gnuplot, the kits' folder */

/* Whether no check is bad. */
bool ifr_checkup_usable(const struct ifr_checkup *checkup);

/* "ok", "warn" or "bad". */
const char *ifr_check_status_name(enum ifr_check_status status);

/* Appends a table of at most 80 columns (words longer than a line excepted) and a line that sums it up. */
void ifr_checkup_text(const struct ifr_checkup *checkup, bool colour, struct ifr_buffer *text);
/* Appends JSON: schema_version, tool, version, usable and checks, each with name, status, finding and remedy. */
int ifr_checkup_json(const struct ifr_checkup *checkup, struct ifr_buffer *text, struct ifr_error *err);

#endif
