/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the code and data of a trace's normalised addresses, from symbols and debug information. Private to this
 * folder. */
#ifndef IFR_HARNESS_SIMULATE_SITE_NAMES_H
#define IFR_HARNESS_SIMULATE_SITE_NAMES_H

#include "harness/code/code.h"
#include "harness/simulate/site.h"
#include "model/model.h"

struct ifr_site_names;

/* Borrows the trace. */
struct ifr_site_names *ifr_site_names_new(const struct ifr_trace *trace);
void ifr_site_names_free(struct ifr_site_names *names);

/* The mapping of a normalised address, and the symbols of its file; NULL: none, or not readable. */
const struct ifr_mapping *ifr_site_mapping(const struct ifr_site_names *names, uint64_t normalised);
struct ifr_source *ifr_site_source(struct ifr_site_names *names, uint64_t normalised);

/* Names the objects of one size and allocation site of which one holds a normalised address of the objects' mapping:
 * "heap objects of 128 bytes, malloc in main (list.c:6)". The caller frees. */
char *ifr_site_objects(struct ifr_site_names *names, uint64_t normalised);

struct ifr_site ifr_site_of(const struct ifr_site_names *names, uint64_t normalised);

/* "main (micro.c:5)"; the caller frees. */
char *ifr_site_code(struct ifr_site_names *names, uint64_t normalised);
/* An access of a block, by their numbers in the trace, to a normalised address. *data_name: "inc", "i in micro", "stack",
 * "heap object 7 of 4096 bytes, malloc in main (micro.c:3)"; *code_name: the instruction, as ifr_site_code names it. The
 * caller frees both. */
void ifr_site_access(struct ifr_site_names *names, uint32_t block, uint32_t access, uint64_t data,
                     char **data_name, char **code_name);

#endif
