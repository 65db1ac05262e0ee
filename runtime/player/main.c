/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays the requests of a recording to an allocator with the runtime's settings from the environment, and reports
 * the position of each object. Standard input is a file of struct ifr_play_request, which this program fills in.
 * The player allocates nothing itself, so that glibc's allocator sees only the recorded requests. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/allocator.h"
#include "runtime/arena.h"
#include "runtime/runtime.h"

/* Words that glibc keeps in front of an object: the offset in its mapping, or the size of the chunk before; and
 * the chunk's own size, whose lowest three bits are flags. */
enum { WORD_BEFORE = -2, WORD_SIZE = -1, FLAG_MAPPED = 2, FLAGS = 7 };

static void describe_position(struct ifr_play_request *request, const char *heap) {
	const size_t *words = (const size_t *)request->address;
	if (arena_has(words) || !words) {
		request->home = IFR_PLAY_FIXED;
	} else if (words[WORD_SIZE] & FLAG_MAPPED) {
		const size_t before = words[WORD_BEFORE];
		request->home = IFR_PLAY_MAPPING;
		request->offset = before + 2 * sizeof *words;
		request->mapping_bytes = before + (words[WORD_SIZE] & ~(size_t)FLAGS);
	} else {
		request->home = IFR_PLAY_HEAP;
		request->offset = request->address - (uintptr_t)heap;
	}
}

static void play_requests(struct ifr_play_request *requests, size_t count) {
	const char *heap = sbrk(0);
	for (size_t i = 0; i < count; i++) {
		struct ifr_play_request *request = &requests[i];
		void *old = request->old < i ? (void *)requests[request->old].address : NULL;
		void *memory = NULL;
		switch (request->request) {
		case IFR_HEAP_RESIZE:
			memory = allocator_resize(old, request->bytes);
			break;
		case IFR_HEAP_FREE:
			allocator_free(old);
			break;
		default:
			memory = allocator_allocate(request->bytes, request->alignment,
			                            request->request == IFR_HEAP_ALLOCATE_ZEROED);
			break;
		}
		request->address = (uintptr_t)memory;
		describe_position(request, heap);
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
	play_requests(requests, bytes / sizeof *requests);
	return 0;
}
