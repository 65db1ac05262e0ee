/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/output/json.h"

#include <math.h>
#include <stdlib.h>

#include "harness/output/escape.h"

json_t *ifr_json_document(int schema_version, const char *version, const char *host) {
	json_t *made = json_object();
	ifr_json_set(made, "schema_version", json_integer(schema_version));
	ifr_json_set(made, "tool", ifr_json_text("interfero"));
	ifr_json_set(made, "version", ifr_json_text(version ? version : INTERFERO_VERSION));
	if (host)
		ifr_json_set(made, "host", ifr_json_text(host));
	return made;
}

void ifr_json_set(json_t *object, const char *key, json_t *value) {
	json_object_set_new(object, key, value);
}

json_t *ifr_json_number(double value) {
	const double exact = 9007199254740992; /* 2^53: whole numbers up to here are exact */
	if (!isfinite(value))
		return json_null();
	return value == floor(value) && fabs(value) <= exact ? json_integer((json_int_t)value) : json_real(value);
}

json_t *ifr_json_number_if(bool known, double value) {
	return known ? ifr_json_number(value) : json_null();
}

json_t *ifr_json_count(size_t value) {
	return json_integer((json_int_t)value);
}

json_t *ifr_json_text(const char *value) {
	if (!value)
		return json_null();
	char *clean = ifr_escape_utf8(value);
	json_t *made = json_string(clean);
	free(clean);
	return made;
}

void ifr_json_print(json_t *document, struct ifr_buffer *out) {
	char *dumped = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	ifr_buffer_puts(out, dumped ? dumped : "null");
	ifr_buffer_puts(out, "\n");
	free(dumped);
	json_decref(document);
}
