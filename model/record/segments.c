/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/segments.h"

#include <elf.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

enum { PAGE = 4096 };

bool read_file_segments(const char *path, uint64_t *low, uint64_t *high, bool *fixed) {
	struct ifr_buffer file = {0};
	bool found = false;
	*low = UINT64_MAX;
	*high = 0;
	if (!ifr_file_read(path, 0, &file, NULL) && file.length >= sizeof(Elf64_Ehdr)) {
		Elf64_Ehdr head;
		memcpy(&head, file.data, sizeof head);
		*fixed = head.e_type == ET_EXEC;
		for (unsigned i = 0; i < head.e_phnum; i++) {
			Elf64_Phdr segment;
			uint64_t at = head.e_phoff + (uint64_t)i * sizeof segment;
			if (at > file.length || file.length - at < sizeof segment)
				break;
			memcpy(&segment, file.data + at, sizeof segment);
			if (segment.p_type != PT_LOAD)
				continue;
			found = true;
			*low = segment.p_vaddr < *low ? segment.p_vaddr & -(uint64_t)PAGE : *low;
			*high = segment.p_vaddr + segment.p_memsz > *high ? segment.p_vaddr + segment.p_memsz : *high;
		}
	}
	ifr_buffer_release(&file);
	*high = (*high + PAGE - 1) & -(uint64_t)PAGE; /* the loader allocates from the rest of the last page */
	return found;
}
