/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever text is imported, in every format: runs of variants that there are, or an error in one line. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/store/import.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void is_whole(const struct ifr_dataset *dataset) {
	unsigned shipped = 0;
	assert(dataset->run_count);
	for (size_t i = 0; i < dataset->variant_count; i++) {
		assert(strlen(dataset->variants[i].name) < IFR_NAME_MAX);
		shipped += !dataset->variants[i].layout;
	}
	assert(shipped <= 1);
	for (size_t i = 0; i < dataset->run_count; i++)
		assert(dataset->runs[i].variant < dataset->variant_count);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	char *text = ifr_format("%.*s", (int)size, (const char *)data);
	for (int format = IFR_IMPORT_CSV; format <= IFR_IMPORT_PERF; format++) {
		const struct ifr_import_text texts[] = {{"fuzz", text}, {"again", text}};
		struct ifr_dataset dataset;
		struct ifr_error err = {0};
		ifr_dataset_init(&dataset);
		int result = ifr_import_parse((enum ifr_import_format)format, texts, format == IFR_IMPORT_PERF ? 2 : 1,
		                              &dataset, &err);
		if (!result)
			is_whole(&dataset);
		else
			assert(result == -IFR_E_USAGE && *err.message && !strchr(err.message, '\n'));
		ifr_dataset_release(&dataset);
	}
	free(text);
	return 0;
}
