/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The doctor: checks of the machine, each with a finding and a remedy: counters, noise, tools. Nothing is changed;
 * all checks together take about a second. */
#ifndef IFR_HARNESS_DOCTOR_H
#define IFR_HARNESS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"

enum { IFR_CHECKUP_SCHEMA_VERSION = 1 };

enum ifr_check_status {
	IFR_CHECK_OK,
	IFR_CHECK_WARN, /* interfero works, with fewer features or more noise */
	IFR_CHECK_BAD   /* interfero cannot measure */
};

struct ifr_check {
	const char *name;
	enum ifr_check_status status;
	char *finding;
	char *remedy; /* "" for IFR_CHECK_OK */
};

struct ifr_checkup {
	struct ifr_check *checks;
	size_t count;
};

void ifr_checkup_init(struct ifr_checkup *checkup);
void ifr_checkup_release(struct ifr_checkup *checkup);

/* Adds a check with a formatted finding; the remedy is copied, and dropped for IFR_CHECK_OK. */
void ifr_checkup_add(struct ifr_checkup *checkup, const char *name, enum ifr_check_status status,
                     const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Performs all checks, in the order of the table. */
void ifr_checkup_run(struct ifr_checkup *checkup);

/* The groups of checks, a file each. */
void ifr_checkup_machine(struct ifr_checkup *checkup);  /* processor, frequency, virtual machine, … */
void ifr_checkup_counters(struct ifr_checkup *checkup); /* ASLR and performance events */
void ifr_checkup_noise(struct ifr_checkup *checkup);    /* load, steal, and the noise of a timed loop */
void ifr_checkup_tools(struct ifr_checkup *checkup);    /* linker, plugin, gnuplot, the folder of kits */

/* Names the recorder and measures its speed. */
void ifr_checkup_recorder(struct ifr_checkup *checkup);

/* Whether no check is bad. */
bool ifr_checkup_usable(const struct ifr_checkup *checkup);

/* "ok", "warn" or "bad". */
const char *ifr_check_status_name(enum ifr_check_status status);

/* Appends a table of at most 80 columns, apart from words longer than a line, and a line with the verdict. */
void ifr_checkup_text(const struct ifr_checkup *checkup, bool colour, struct ifr_buffer *text);
/* Appends JSON: schema_version, tool, version, usable and checks[], each with name, status, finding, remedy. */
void ifr_checkup_json(const struct ifr_checkup *checkup, struct ifr_buffer *text);

#endif
