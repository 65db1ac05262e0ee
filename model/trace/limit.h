/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of a trace that is being written, and its limit. */
#ifndef IFR_MODEL_TRACE_LIMIT_H
#define IFR_MODEL_TRACE_LIMIT_H

#include "model/trace/writer.h"

/* Limits the file to so many bytes; 0: no limit. A longer one fails the writer. */
void ifr_trace_limit(struct ifr_trace_writer *writer, uint64_t bytes);
/* The bytes of the file so far. */
uint64_t ifr_trace_bytes(const struct ifr_trace_writer *writer);
/* Whether writing has failed, as on a full disk or at the limit: later additions are lost. */
bool ifr_trace_failed(const struct ifr_trace_writer *writer);

#endif
