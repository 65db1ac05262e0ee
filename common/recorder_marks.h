/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How libraries inside a program that is recorded speak to the recorder around it: by system calls that no kernel
 * has. */
#ifndef IFR_COMMON_RECORDED_H
#define IFR_COMMON_RECORDED_H

#include <stdint.h>

enum ifr_recorder_mark {
	IFR_RECORDER_REGION = 0x49465201, /* a region's name when it begins, a null pointer when one ends */
	IFR_RECORDER_ENTER,               /* from here on the allocator is at work, */
	IFR_RECORDER_LEAVE, /* up to here: enum ifr_heap_request, address, size, alignment, old address */
};

/* What the allocator was asked for. */
enum ifr_heap_request {
	IFR_HEAP_OTHER, /* that makes or ends an object; how many bytes there are at an address, if it names one
	                      */
	IFR_HEAP_ALLOCATE,
	IFR_HEAP_ALLOCATE_ZEROED,
	IFR_HEAP_RESIZE,
	IFR_HEAP_FREE, /* of the old address; resizing to nothing is one, too */
	IFR_HEAP_REQUESTS
};

/* Keeps errno, and calls nothing: what is recorded of a mark is a few instructions, the same in every layout. */
static inline void ifr_recorder_mark(enum ifr_recorder_mark mark, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                     uint64_t e) {
	uint64_t result = mark;
	register uint64_t fourth __asm__("r10") = d;
	register uint64_t fifth __asm__("r8") = e;
	__asm__ volatile("syscall"
	                 : "+a"(result)
	                 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
	                 : "rcx", "r11", "memory");
}

#endif
