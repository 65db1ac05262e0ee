/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the code and data of a trace's normalised addresses, from symbols and debug information. Private to this
 * folder. */
#ifndef IFR_HARNESS_SIMULATE_SITE_NAMES_H
#define IFR_HARNESS_SIMULATE_SITE_NAMES_H

#include "harness/code/code.h"
#include "model/model.h"

struct ifr_site_names;

/* Borrows the trace. */
struct ifr_site_names *ifr_site_names_new(const struct ifr_trace *trace);
void ifr_site_names_free(struct ifr_site_names *names);

/* The mapping of a normalised address, and the symbols of its file; NULL: none, or not readable. */
const struct ifr_mapping *ifr_site_mapping(const struct ifr_site_names *names, uint64_t normalised);
struct ifr_source *ifr_site_source(struct ifr_site_names *names, uint64_t normalised);

/* "main (micro.c:5)"; the caller frees. */
char *ifr_site_code(struct ifr_site_names *names, uint64_t normalised);
/* "inc", "i in micro", "stack", "heap object 7 of 4096 bytes": the data that the instruction accesses that ends `end`
 * bytes into a block; the caller frees. */
char *ifr_site_data(struct ifr_site_names *names, uint64_t data, uint64_t block, uint16_t end);

#endif
