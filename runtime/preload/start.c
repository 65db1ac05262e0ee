/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start-up of the library, of forked children and of main. */
#include "runtime/preload/start.h"

#include <alloca.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "runtime/allocator.h"
#include "runtime/log.h"
#include "runtime/os.h"
#include "runtime/preload/preload.h"
#include "runtime/preload/symbols.h"
#include "runtime/preload/text.h"
#include "runtime/side.h"
#include "runtime/threads.h"

static pthread_key_t ending;
static bool watching;

/* Other destructors may still allocate: the heap is given up in the last iteration. */
static void end_in_last_iteration(void *iterations) {
	intptr_t left = (intptr_t)iterations;
	if (left > 1)
		pthread_setspecific(ending, (void *)(left - 1));
	else
		threads_end();
}

void start_thread_watch(void) {
	if (watching)
		pthread_setspecific(ending, (void *)(intptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void after_fork_in_child(void) {
	threads_after_fork();
	log_after_fork();
}

/* Runs before other libraries' constructors where the linker allows; requests may have come earlier. */
__attribute__((constructor(101))) static void start_library(void) {
	allocator_start();
	if (arena.base) {
		watching = !pthread_key_create(&ending, end_in_last_iteration);
		pthread_atfork(threads_before_fork, threads_after_fork, after_fork_in_child);
	} else {
		pthread_atfork(NULL, NULL, log_after_fork);
	}
}

typedef int main_function(int, char **, char **);
static main_function *real_main;

/* Runs main with its stack frames stack_bytes further down. */
static __attribute__((noinline)) int lowered_main(int argc, char **argv, char **environment) {
	volatile char *room = alloca(heap_options.stack_bytes);
	room[0] = 0;
	int status = real_main(argc, argv, environment);
	room[0] = (char)status;
	return status;
}

typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

EXPORTED int __libc_start_main(main_function *program_main, int argc, char **argv, void (*init)(void),
                               void (*fini)(void), void (*end_of_loader)(void), void *stack_end);

EXPORTED int __libc_start_main(main_function *program_main, int argc, char **argv, void (*init)(void),
                               void (*fini)(void), void (*end_of_loader)(void), void *stack_end) {
	start_function *next;
	*(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
	allocator_start();
	real_main = program_main;
	/* Leave three quarters of the stack to the program. */
	if (heap_options.stack_bytes > os_stack_limit() / 4) {
		report_refuse("stack:", "the limit on the stack is too low for it");
	} else if (heap_options.stack_bytes) {
		program_main = lowered_main;
		report_applied(IFR_APPLIED_STACK);
	}
	if (*heap_options.sites)
		symbols_find_sites();
	if (heap_options.text == TEXT_HUGE)
		text_use_huge_pages();
	return next(program_main, argc, argv, init, fini, end_of_loader, stack_end);
}
