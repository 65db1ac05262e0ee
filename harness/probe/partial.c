/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/partial.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/output/output.h"
#include "harness/probe/findings.h"

enum { FILE_MOST = 16 << 20 };

static json_t *pack_finding(const struct ifr_probe_finding *finding) {
	return json_pack("{s:i,s:i,s:s,s:s,s:s?,s:b,s:f,s:f,s:f,s:s}", "part", (int)finding->part, "source",
	                 (int)finding->source, "key", finding->key, "unit", finding->unit, "word", finding->word,
	                 "told", finding->told, "value", finding->value, "low", finding->low, "high", finding->high,
	                 "experiment", finding->experiment);
}

static json_t *pack_curve(const struct ifr_probe_curve *curve) {
	json_t *points = json_array();
	for (size_t i = 0; i < curve->count; i++)
		for (unsigned j = 0; j < 4; j++)
			json_array_append_new(points, json_real(curve->points[i][j]));
	return json_pack("{s:i,s:s,s:s,s:o}", "part", (int)curve->part, "title", curve->title, "x", curve->x_label,
	                 "points", points);
}

int probe_partial_write(const char *path, const struct ifr_probe_result *result, unsigned done, int64_t spent_ns,
                        struct ifr_error *err) {
	json_t *findings = json_array(), *curves = json_array(), *steps = json_array();
	for (size_t i = 0; i < result->steps_count; i++)
		json_array_append_new(steps, json_pack("[i,i,f]", (int)result->steps[i].step,
		                                       (int)result->steps[i].parameter, result->steps[i].missed));
	for (size_t i = 0; i < result->findings_count; i++)
		json_array_append_new(findings, pack_finding(&result->findings[i]));
	for (size_t i = 0; i < result->curves_count; i++)
		json_array_append_new(curves, pack_curve(&result->curves[i]));
	json_t *document = json_pack("{s:s,s:s,s:I,s:i,s:I,s:o,s:o,s:o}", "version", INTERFERO_VERSION, "machine",
	                             result->machine, "seed", (json_int_t)result->seed, "done", (int)done, "spent_ns",
	                             (json_int_t)spent_ns, "findings", findings, "curves", curves, "steps", steps);
	char *text = json_dumps(document, JSON_INDENT(1)), *folder = ifr_path_dir(path);
	int rc = ifr_dir_make(folder, err);
	if (!rc)
		rc = ifr_file_write(path, text, strlen(text), 0666, err);
	free(folder);
	free(text);
	json_decref(document);
	return rc;
}

/* Returns false if it is no finding. */
static bool unpack_finding(json_t *object, struct ifr_probe_result *result) {
	const char *key, *unit, *experiment;
	json_t *word;
	int part, source, told;
	double values[3];
	if (json_unpack(object, "{s:i,s:i,s:s,s:s,s:o,s:b,s:F,s:F,s:F,s:s}", "part", &part, "source", &source, "key",
	                &key, "unit", &unit, "word", &word, "told", &told, "value", &values[0], "low", &values[1],
	                "high", &values[2], "experiment", &experiment) ||
	    part < 0 || part >= IFR_PROBE_PARTS || source < 0 || source >= IFR_PROBE_SOURCES)
		return false;
	result->source = (enum ifr_probe_source)source;
	if (!told)
		probe_tell_nothing(result, (enum ifr_probe_part)part, key, "%s", experiment);
	else if (json_is_string(word))
		probe_tell_word(result, (enum ifr_probe_part)part, key, json_string_value(word), experiment);
	else
		probe_tell_interval(result, (enum ifr_probe_part)part, key, unit, values, "%s", experiment);
	return true;
}

static bool unpack_curve(json_t *object, struct ifr_probe_result *result) {
	const char *title, *x_label;
	json_t *points;
	int part;
	if (json_unpack(object, "{s:i,s:s,s:s,s:o}", "part", &part, "title", &title, "x", &x_label, "points",
	                &points) ||
	    part < 0 || part >= IFR_PROBE_PARTS)
		return false;
	const size_t count = json_array_size(points) / 4;
	struct ifr_probe_curve *curve = probe_add_curve(result, (enum ifr_probe_part)part, title, x_label, count);
	for (size_t i = 0; i < 4 * count; i++)
		curve->points[i / 4][i % 4] = json_number_value(json_array_get(points, i));
	return true;
}

static int unpack(const char *path, json_t *document, struct ifr_probe_result *result, unsigned *done,
                  int64_t *spent_ns, struct ifr_error *err) {
	const char *version, *machine;
	json_t *findings, *curves, *steps;
	json_int_t seed, spent;
	int parts;
	if (json_unpack(document, "{s:s,s:s,s:I,s:i,s:I,s:o,s:o,s:o}", "version", &version, "machine", &machine,
	                "seed", &seed, "done", &parts, "spent_ns", &spent, "findings", &findings, "curves", &curves,
	                "steps", &steps))
		return ifr_fail(err, IFR_E_USAGE, "%s: no probe that was interrupted: probe without --resume", path);
	if (strcmp(version, INTERFERO_VERSION) || strcmp(machine, result->machine) || (uint64_t)seed != result->seed)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s is of %s, seed %lld, by interfero %s: give that seed, or probe without --resume", path,
		                machine, (long long)seed, version);
	for (size_t i = 0; i < json_array_size(findings); i++)
		if (!unpack_finding(json_array_get(findings, i), result))
			return ifr_fail(err, IFR_E_USAGE, "%s: finding %zu is none: probe without --resume", path, i + 1);
	for (size_t i = 0; i < json_array_size(curves); i++)
		if (!unpack_curve(json_array_get(curves, i), result))
			return ifr_fail(err, IFR_E_USAGE, "%s: curve %zu is none: probe without --resume", path, i + 1);
	for (size_t i = 0; i < json_array_size(steps); i++) {
		int step, parameter;
		double missed;
		if (json_unpack(json_array_get(steps, i), "[i,i,F]", &step, &parameter, &missed))
			return ifr_fail(err, IFR_E_USAGE, "%s: step %zu is none: probe without --resume", path, i + 1);
		probe_add_step(result, (unsigned)step, (unsigned)parameter, missed);
	}
	result->source = IFR_PROBE_BY_CLOCK;
	*done = (unsigned)parts;
	*spent_ns = spent;
	return 0;
}

int probe_partial_read(const char *path, struct ifr_probe_result *result, unsigned *done, int64_t *spent_ns,
                       struct ifr_error *err) {
	struct ifr_buffer text = {0};
	if (!ifr_file_exists(path))
		return ifr_fail(err, IFR_E_USAGE, "no probe was interrupted (there is no %s): probe without --resume",
		                path);
	int rc = ifr_file_read(path, FILE_MOST, &text, err);
	json_t *document = rc ? NULL : json_loads(ifr_buffer_text(&text), 0, NULL);
	if (!rc)
		rc = unpack(path, document, result, done, spent_ns, err);
	json_decref(document);
	ifr_buffer_release(&text);
	return rc;
}
