/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"

/* The mappings [vdso], [vvar] and, since Linux 6.13, [vvar_vclock]. */
static uint64_t mapped_bytes(void) {
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uint64_t sum = 0, start, end;
	while (maps && fgets(line, sizeof line, maps))
		if ((strstr(line, " [vdso]") || strstr(line, " [vvar")) &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2)
			sum += end - start;
	if (maps)
		fclose(maps);
	return sum;
}

void ifr_kernel_describe(struct ifr_buffer *text) {
	struct ifr_buffer auxiliary = {0};
	uint64_t bytes = mapped_bytes();
	if (!ifr_file_read("/proc/self/auxv", 0, &auxiliary, NULL) && auxiliary.length)
		ifr_buffer_printf(text, "auxiliary_bytes %zu\n", auxiliary.length);
	if (bytes)
		ifr_buffer_printf(text, "kernel_mapped_bytes %" PRIu64 "\n", bytes);
	ifr_buffer_release(&auxiliary);
}
