/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a trace. */
#ifndef IFR_MODEL_TRACE_WRITER_H
#define IFR_MODEL_TRACE_WRITER_H

#include "model/trace/trace.h"

struct ifr_trace_writer;

/* Creates a trace. The file appears at path when it is closed; until then it has a temporary name beside it. text:
 * lines "key value". */
int ifr_trace_create(const char *path, const char *text, struct ifr_trace_writer **writer, struct ifr_error *err);
/* Adds a mapping. Returns its number, from IFR_MAPPING_FIRST on; 0 (IFR_MAPPING_OTHER) if there are
 * IFR_MAPPING_LIMIT. */
uint32_t ifr_trace_add_mapping(struct ifr_trace_writer *writer, const struct ifr_mapping *mapping);
/* Marks the start of the program: mappings added from now on have a moment. */
void ifr_trace_start_program(struct ifr_trace_writer *writer);
/* Extends a mapping to include a range; ends a mapping at this moment. */
void ifr_trace_grow_mapping(struct ifr_trace_writer *writer, uint32_t mapping, uint64_t start, uint64_t bytes);
void ifr_trace_close_mapping(struct ifr_trace_writer *writer, uint32_t mapping);
/* Adds a request; sets its normalised address and its moment. Returns its number, from 0 on. */
/* Sets the site of requests that are added from now on: the normalised address of the call; 0: not known. */
void ifr_trace_set_site(struct ifr_trace_writer *writer, uint64_t site);
uint32_t ifr_trace_add_request(struct ifr_trace_writer *writer, struct ifr_trace_request *request);
/* Adds a block; copies its accesses and its block->bytes bytes of code, and sets first_access. Returns its id. */
uint32_t ifr_trace_add_block(struct ifr_trace_writer *writer, const struct ifr_trace_block *block,
                             const struct ifr_trace_access *accesses, const void *code);
/* Adds a block execution. normalised: normalised addresses of the block's stored accesses, in order. */
void ifr_trace_add_execution(struct ifr_trace_writer *writer, uint32_t block, bool taken,
                             const uint64_t *normalised);
/* Adds an interruption: the block before it has no successor. */
void ifr_trace_add_break(struct ifr_trace_writer *writer);
/* Adds a line to the text. */
void ifr_trace_add_text(struct ifr_trace_writer *writer, const char *line);
/* Finishes the file, or removes it if discard. Errors: IFR_E_ENVIRONMENT for any failure since the creation, such
 * as a full disk; the file is removed then. */
int ifr_trace_close(struct ifr_trace_writer *writer, bool discard, struct ifr_trace_totals *totals,
                    struct ifr_error *err);

/* Adds a line to the text of a finished trace. Errors: IFR_E_USAGE if the trace is not whole; IFR_E_ENVIRONMENT,
 * and the file is unchanged. */
int ifr_trace_amend(const char *path, const char *line, struct ifr_error *err);

#endif
