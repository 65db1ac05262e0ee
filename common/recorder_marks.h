/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks: messages to the recorder from libraries inside the recorded program (runtime/recorded/,
 * model/recorder/marks.c). A mark is a system call with a number that no kernel has, and six arguments. */
#ifndef IFR_COMMON_RECORDER_MARKS_H
#define IFR_COMMON_RECORDER_MARKS_H

#include <stdint.h>

enum ifr_recorder_mark {
	IFR_RECORDER_REGION = 0x49465201, /* a region begins (its name) or ends (a null pointer) */
	IFR_RECORDER_ENTER,               /* the allocator begins to work */
	/* The allocator ends its work: enum ifr_heap_request, address, size, alignment, old address, return address of the
	 * call. */
	IFR_RECORDER_LEAVE,
};

/* The request that the allocator answered. */
enum ifr_heap_request {
	IFR_HEAP_OTHER,           /* no object begins or ends; with an address: the usable size there */
	IFR_HEAP_ALLOCATE,        /* malloc */
	IFR_HEAP_ALLOCATE_ZEROED, /* calloc */
	IFR_HEAP_RESIZE,          /* realloc */
	IFR_HEAP_FREE,            /* free of the old address, also by realloc to size 0 */
	IFR_HEAP_REQUESTS
};

/* Sends a mark. Inlined, without a call, and errno stays: the recording has the same few instructions in every
 * layout. */
static inline void ifr_recorder_mark(enum ifr_recorder_mark mark, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                     uint64_t e, uint64_t f) {
	uint64_t result = mark;
	register uint64_t fourth __asm__("r10") = d;
	register uint64_t fifth __asm__("r8") = e;
	register uint64_t sixth __asm__("r9") = f;
	__asm__ volatile("syscall"
	                 : "+a"(result)
	                 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
	                 : "rcx", "r11", "memory");
}

#endif
