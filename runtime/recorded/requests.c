/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator of a program whose heap objects are recorded (objects.so): the runtime's allocator, with a mark
 * before and after each request. The allocator's own execution differs from layout to layout, so that the recorder
 * leaves it out; the marks say what was requested and where the object is.
 *
 * The linker redirects the calls of preload/malloc.c to the functions here (--wrap), which dictates their names.
 */
#include <pthread.h>
#include <stdint.h>

#include "common/recorder_marks.h"
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

/* Of the program's call, where malloc and its like jump to the functions below; else an address in this library. */
#define CALLER __builtin_return_address(0)

static inline void mark_enter(void) {
	ifr_recorder_mark(IFR_RECORDER_ENTER, 0, 0, 0, 0, 0, 0);
}

static inline void mark_leave(enum ifr_heap_request request, const void *memory, size_t size, size_t alignment,
                              const void *old, const void *caller) {
	ifr_recorder_mark(IFR_RECORDER_LEAVE, request, (uintptr_t)memory, size, alignment, (uintptr_t)old,
	                  (uintptr_t)caller);
}

void *__wrap_allocator_allocate(size_t size, size_t alignment, bool zero) {
	mark_enter();
	void *memory = __real_allocator_allocate(size, alignment, zero);
	mark_leave(zero ? IFR_HEAP_ALLOCATE_ZEROED : IFR_HEAP_ALLOCATE, memory, size, alignment, NULL, CALLER);
	return memory;
}

void *__wrap_allocator_resize(void *memory, size_t size) {
	mark_enter();
	void *moved = __real_allocator_resize(memory, size);
	mark_leave(memory && !size ? IFR_HEAP_FREE : IFR_HEAP_RESIZE, moved, size, GRANULE_BYTES, memory, CALLER);
	return moved;
}

void __wrap_allocator_free(void *memory) {
	mark_enter();
	__real_allocator_free(memory);
	mark_leave(IFR_HEAP_FREE, NULL, 0, 0, memory, CALLER);
}

size_t __wrap_allocator_usable(void *memory) {
	mark_enter();
	size_t bytes = __real_allocator_usable(memory);
	mark_leave(IFR_HEAP_OTHER, memory, bytes, 0, NULL, NULL);
	return bytes;
}

__attribute__((constructor(101))) static void start_library(void) {
	mark_enter();
	allocator_start();
	pthread_atfork(threads_before_fork, threads_after_fork, threads_after_fork);
	mark_leave(IFR_HEAP_OTHER, NULL, 0, 0, NULL, NULL);
}
