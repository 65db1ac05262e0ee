/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's text in huge pages.
 *
 * The kernel gives huge pages to anonymous memory, not to a file on most file systems. So the bytes between the first and
 * the last multiple of 2 MiB in the text are copied into anonymous memory with the same alignment, which then takes their
 * place by one mremap: at no time is code missing, and a failure leaves the program as it was. The rest of the text stays
 * in the file's pages. Nothing here allocates: the program's heap is the same with and without. */
#include "runtime/preload/text.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/runtime.h"
#include "runtime/side.h"

enum { HUGE_BYTES = 1 << 21, SMAPS_BYTES = 32768 };

struct range {
	uintptr_t begin, end;
};

static uintptr_t round_up(uintptr_t address) {
	return (address + HUGE_BYTES - 1) & ~(uintptr_t)(HUGE_BYTES - 1);
}

/* The program comes first. */
static int find_text(struct dl_phdr_info *object, size_t size, void *data) {
	struct range *text = data;
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const uintptr_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_filesz;
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			*text = (struct range){round_up(begin), end & ~(uintptr_t)(HUGE_BYTES - 1)};
	}
	return 1;
}

/* Memory of huge pages with a copy of the text; NULL without. The caller unmaps what it does not move. */
static char *copy_text(const struct range *text, char **reserved, size_t *reserved_bytes) {
	const size_t bytes = text->end - text->begin;
	*reserved_bytes = bytes + HUGE_BYTES;
	*reserved =
		mmap(NULL, *reserved_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (*reserved == MAP_FAILED)
		return NULL;
	char *copy = (char *)round_up((uintptr_t)*reserved);
	if (madvise(copy, bytes, MADV_HUGEPAGE))
		return NULL;
	memcpy(copy, (const char *)text->begin, bytes);
	return mprotect(copy, bytes, PROT_READ | PROT_EXEC) ? NULL : copy;
}

static bool read_maps(char *maps, size_t size) {
	const int fd = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	for (ssize_t got = 1; fd >= 0 && got > 0 && length<size - 1; length += got> 0 ? (size_t)got : 0)
		got = read(fd, maps + length, size - 1 - length);
	maps[length] = '\0';
	if (fd >= 0)
		close(fd);
	return length > 0;
}

/* Whether huge pages hold all of the text. The program's mappings come first in the file. */
static bool is_huge(const struct range *text) {
	static const char field[] = "AnonHugePages:";
	char maps[SMAPS_BYTES], head[64];
	snprintf(head, sizeof head, "%lx-%lx ", (unsigned long)text->begin, (unsigned long)text->end);
	const char *entry = read_maps(maps, sizeof maps) ? strstr(maps, head) : NULL,
			   *held = entry ? strstr(entry, field) : NULL;
	return held && strtoul(held + strlen(field), NULL, 10) * 1024 == text->end - text->begin;
}

void text_use_huge_pages(void) {
	const int saved = errno;
	struct range text = {0};
	char *reserved = MAP_FAILED;
	size_t reserved_bytes = 0;
	dl_iterate_phdr(find_text, &text);
	if (text.begin >= text.end) {
		report_refuse("text:", "it has no 2 MiB that begin at a multiple of 2 MiB");
		return;
	}
	const size_t bytes = text.end - text.begin;
	char *copy = copy_text(&text, &reserved, &reserved_bytes);
	if (copy)
		copy = mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, text.begin);
	if (copy == (char *)text.begin && is_huge(&text))
		report_applied(IFR_APPLIED_TEXT);
	else
		report_refuse("text:", "the kernel gives no huge pages");
	if (reserved != MAP_FAILED)
		munmap(reserved, reserved_bytes);
	errno = saved;
}
