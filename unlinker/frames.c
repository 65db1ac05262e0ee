/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: Linux Standard Base 5.0, Core, section 10.6.1 (.eh_frame). */
#include "unlinker/frames.h"

#include <stdlib.h>
#include <string.h>

/* An entry: at its length field. */
struct entry {
	uint32_t at, bytes; /* with the length field */
	uint32_t cie;       /* of a description: the offset of its CIE */
	bool is_cie;
	bool relocated; /* the begin of a description's range has a relocation */
};

static uint32_t word_at(const struct part *frames, uint64_t offset) {
	uint32_t word;
	memcpy(&word, frames->bytes + offset, sizeof word);
	return word;
}

static const Elf64_Rela *find_relocation(const struct part *frames, uint64_t offset) {
	size_t low = 0, high = frames->relocation_count;
	const uint64_t address = frames->header.sh_addr + offset;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (frames->relocations[middle].r_offset < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < frames->relocation_count && frames->relocations[low].r_offset == address ? &frames->relocations[low]
	                                                                                     : NULL;
}

/* Reads the entry at an offset: 1; 0 at the end, and at a terminator; negative if it cannot be read. */
static int read_entry(const struct part *frames, uint32_t at, struct entry *entry) {
	const uint64_t size = frames->header.sh_size;
	if (at + 4 > size || !word_at(frames, at))
		return 0;
	const uint32_t length = word_at(frames, at);
	if (length >= 0xfffffff0 || length < 4 || (uint64_t)at + 4 + length > size)
		return -1;
	const uint32_t id = word_at(frames, at + 4);
	*entry = (struct entry){.at = at, .bytes = length + 4, .is_cie = id == 0};
	if (id && (id > at + 4 || length < 12))
		return -1;
	entry->cie = id ? at + 4 - id : at;
	const Elf64_Rela *relocation = entry->is_cie ? NULL : find_relocation(frames, at + 8);
	entry->relocated = relocation != NULL;
	/* Ranges of eight bytes are those of another encoding. */
	return relocation && ELF64_R_TYPE(relocation->r_info) != R_X86_64_PC32 ? -1 : 1;
}

static int fail_unreadable(const struct program *program, uint32_t at, struct ifr_error *err) {
	return ifr_fail(err, IFR_E_USAGE, "%s has frame tables (.eh_frame) that cannot be read, at offset %#x",
	                program->path, at);
}

int frames_visit(const struct program *program, void (*visit)(uint64_t start, uint64_t bytes, void *data),
                 void *data, struct ifr_error *err) {
	for (size_t i = 1; i < program->part_count; i++) {
		const struct part *part = &program->parts[i];
		if (strcmp(part->name, ".eh_frame") || !part->bytes)
			continue;
		struct entry entry;
		int more;
		uint32_t at = 0;
		for (; (more = read_entry(part, at, &entry)) > 0; at += entry.bytes)
			if (entry.relocated)
				visit(part->header.sh_addr + at + 8 + (uint64_t)(int32_t)word_at(part, at + 8),
				      word_at(part, at + 12), data);
		if (more < 0)
			return fail_unreadable(program, at, err);
	}
	return 0;
}

/* Relocations are sought by bisection; those of --emit-relocs lie in the order of the section. */
static bool in_order(const struct part *frames) {
	for (size_t i = 1; i < frames->relocation_count; i++)
		if (frames->relocations[i].r_offset < frames->relocations[i - 1].r_offset)
			return false;
	return true;
}

int frames_copy(const struct program *program, const struct part *frames, struct ifr_buffer *copy, uint32_t **moved,
                struct ifr_error *err) {
	struct entry entry;
	uint32_t at = 0, size = (uint32_t)frames->header.sh_size;
	int more;
	uint32_t *map = *moved = ifr_alloc((size + 1) * sizeof *map);
	memset(map, 0xff, (size + 1) * sizeof *map);
	if (!in_order(frames))
		return fail_unreadable(program, 0, err);
	for (; (more = read_entry(frames, at, &entry)) > 0; at += entry.bytes) {
		if (!entry.is_cie && !entry.relocated)
			continue;
		const uint32_t to = (uint32_t)copy->length;
		for (uint32_t i = 0; i < entry.bytes; i++)
			map[at + i] = to + i;
		ifr_buffer_append(copy, frames->bytes + at, entry.bytes);
		if (entry.is_cie)
			continue;
		const uint32_t id = map[entry.cie] == UINT32_MAX ? 0 : to + 4 - map[entry.cie];
		if (!id)
			return fail_unreadable(program, at, err);
		memcpy(copy->data + to + 4, &id, sizeof id);
	}
	if (more < 0)
		return fail_unreadable(program, at, err);
	const uint32_t terminator = 0;
	if (at + 4 <= size)
		ifr_buffer_append(copy, &terminator, sizeof terminator);
	return 0;
}
