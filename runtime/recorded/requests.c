/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator of a program whose objects are recorded (objects.so): the runtime's, with marks around all that it
 * does. Each layout's allocator executes something else, so that the recorder leaves out what lies between the
 * marks; it learns what was asked for and where the object lies.
 * The linker gives the calls in preload/malloc.c to the functions here (--wrap), which are named as it wants. */
#include <pthread.h>
#include <stdint.h>

#include "common/recorded.h"
#include "runtime/allocator.h"
#include "runtime/threads.h"

void *__real_allocator_allocate(size_t size, size_t alignment, bool zero);
void *__real_allocator_resize(void *memory, size_t size);
void __real_allocator_free(void *memory);
size_t __real_allocator_usable(void *memory);
void *__wrap_allocator_allocate(size_t size, size_t alignment, bool zero);
void *__wrap_allocator_resize(void *memory, size_t size);
void __wrap_allocator_free(void *memory);
size_t __wrap_allocator_usable(void *memory);

static inline void enter(void) {
	ifr_mark(IFR_MARK_ENTER, 0, 0, 0, 0, 0);
}

static inline void leave(enum ifr_request request, const void *memory, size_t size, size_t alignment,
                         const void *old) {
	ifr_mark(IFR_MARK_LEAVE, request, (uintptr_t)memory, size, alignment, (uintptr_t)old);
}

void *__wrap_allocator_allocate(size_t size, size_t alignment, bool zero) {
	enter();
	void *memory = __real_allocator_allocate(size, alignment, zero);
	leave(zero ? IFR_REQUEST_TAKE_ZEROED : IFR_REQUEST_TAKE, memory, size, alignment, NULL);
	return memory;
}

void *__wrap_allocator_resize(void *memory, size_t size) {
	enter();
	void *moved = __real_allocator_resize(memory, size);
	leave(memory && !size ? IFR_REQUEST_RELEASE : IFR_REQUEST_RESIZE, moved, size, GRANULE_BYTES, memory);
	return moved;
}

void __wrap_allocator_free(void *memory) {
	enter();
	__real_allocator_free(memory);
	leave(IFR_REQUEST_RELEASE, NULL, 0, 0, memory);
}

size_t __wrap_allocator_usable(void *memory) {
	enter();
	size_t bytes = __real_allocator_usable(memory);
	leave(IFR_REQUEST_NOTHING, memory, bytes, 0, NULL);
	return bytes;
}

__attribute__((constructor(101))) static void start(void) {
	enter();
	allocator_start();
	pthread_atfork(threads_before_fork, threads_after_fork, threads_after_fork);
	leave(IFR_REQUEST_NOTHING, NULL, 0, 0, NULL);
}
