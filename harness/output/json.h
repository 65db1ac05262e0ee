/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON documents on jansson: one head, one form of numbers, text that is always valid UTF-8. */
#ifndef IFR_HARNESS_JSON_H
#define IFR_HARNESS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"

/* A document with schema_version, tool, version and host. version NULL is this program's; host NULL leaves the key
 * out. */
json_t *ifr_json_document(int schema_version, const char *version, const char *host);
/* Sets a key; takes the value over. */
void ifr_json_set(json_t *object, const char *key, json_t *value);

/* null for NaN and infinity; a whole number up to 2^53 without a fraction, so that all readers print it alike */
json_t *ifr_json_number(double value);
/* null unless known */
json_t *ifr_json_number_if(bool known, double value);
json_t *ifr_json_count(size_t value);
/* null for NULL; bytes that are not UTF-8 and control characters become '?'. */
json_t *ifr_json_text(const char *value);

/* Appends the document with a newline, numbers with 17 significant digits, and releases it. */
void ifr_json_print(json_t *document, struct ifr_buffer *out);

#endif
