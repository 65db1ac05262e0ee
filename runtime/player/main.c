/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the requests of a recording as a program's allocator would that has the runtime's settings in its
 * environment, and says where it put each object. Standard input is a file of struct ifr_play_request, which this
 * program fills in. It asks for no memory of its own: what glibc's allocator is asked for here is what it was
 * asked for in the program. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/allocator.h"
#include "runtime/arena.h"
#include "runtime/runtime.h"

/* What glibc notes in front of a chunk: how far into its mapping it begins, or the size of the chunk before it;
 * and its own size, of which the lowest three bits are flags. */
enum { NOTE_BEFORE = -2, NOTE_SIZE = -1, FLAG_MAPPED = 2, FLAGS = 7 };

static void describe(struct ifr_play_request *request, const char *heap) {
	const size_t *note = (const size_t *)request->address;
	if (arena_has(note) || !note) {
		request->home = IFR_PLAY_FIXED;
	} else if (note[NOTE_SIZE] & FLAG_MAPPED) {
		const size_t before = note[NOTE_BEFORE];
		request->home = IFR_PLAY_MAPPING;
		request->offset = before + 2 * sizeof *note;
		request->mapping_bytes = before + (note[NOTE_SIZE] & ~(size_t)FLAGS);
	} else {
		request->home = IFR_PLAY_HEAP;
		request->offset = request->address - (uintptr_t)heap;
	}
}

static void play(struct ifr_play_request *requests, size_t count) {
	const char *heap = sbrk(0);
	for (size_t i = 0; i < count; i++) {
		struct ifr_play_request *request = &requests[i];
		void *old = request->old < i ? (void *)requests[request->old].address : NULL;
		void *memory = NULL;
		switch (request->request) {
		case IFR_REQUEST_RESIZE:
			memory = allocator_resize(old, request->bytes);
			break;
		case IFR_REQUEST_RELEASE:
			allocator_free(old);
			break;
		default:
			memory = allocator_allocate(request->bytes, request->alignment,
			                            request->request == IFR_REQUEST_TAKE_ZEROED);
			break;
		}
		request->address = (uintptr_t)memory;
		describe(request, heap);
	}
}

int main(void) {
	struct stat file;
	if (fstat(0, &file))
		return 1;
	const size_t bytes = (size_t)file.st_size;
	struct ifr_play_request *requests = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0);
	if (requests == MAP_FAILED || !allocator_start())
		return 1;
	play(requests, bytes / sizeof *requests);
	return 0;
}
