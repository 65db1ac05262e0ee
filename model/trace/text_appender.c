/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends a frame of text to a finished trace: facts that are found out later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "common/buffer.h"
#include "model/trace/frames.h"
#include "model/trace/writer.h"

static int cannot_write(const char *path, struct ifr_error *err) {
	return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the trace %s", path);
}

/* Appends the frame; truncates the file again if it cannot be written whole. */
static int append_text(FILE *file, const char *path, const char *line, struct ifr_error *err) {
	const size_t length = strlen(line), bound = ZSTD_compressBound(length);
	char *stored = ifr_alloc(bound);
	struct trace_frame head = {.type = TRACE_TEXT, .sequence_bytes = length, .raw_bytes = length};
	int result = fseek(file, 0, SEEK_END) ? cannot_write(path, err) : 0;
	const long end = ftell(file);
	head.stored_bytes = ZSTD_compress(stored, bound, line, length, 1);
	if (!result && ZSTD_isError(head.stored_bytes))
		result = ifr_fail(err, IFR_E_BUG, "zstd refuses a line of the trace");
	if (!result) {
		head.checksum = frame_checksum(&head, stored);
		if (fwrite(&head, sizeof head, 1, file) != 1 ||
		    fwrite(stored, 1, head.stored_bytes, file) != head.stored_bytes || fflush(file))
			result = cannot_write(path, err);
	}
	if (result && end >= 0 && ftruncate(fileno(file), end))
		result = cannot_write(path, err);
	free(stored);
	return result;
}

int ifr_trace_amend(const char *path, const char *line, struct ifr_error *err) {
	struct ifr_trace *trace;
	int result = ifr_trace_open(path, &trace, err);
	if (result)
		return result;
	const char *damage = ifr_trace_damage(trace);
	if (damage)
		result = ifr_fail(err, IFR_E_USAGE, "%s: %s", path, damage);
	ifr_trace_free(trace);
	FILE *file = result ? NULL : fopen(path, "r+be");
	if (!result)
		result = file ? append_text(file, path, line, err) : cannot_write(path, err);
	if (file && fclose(file) && !result)
		result = cannot_write(path, err);
	return result;
}
