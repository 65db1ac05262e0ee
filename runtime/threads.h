/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thread has which heap. A heap's id, and with it every address, follows from who started whom as the how
 * manieth, never from which thread came first. A thread that is joined leaves its heap, with all that is still in
 * it, to the thread that joined it, which passes it on to the next one it starts. */
#ifndef IFR_RUNTIME_THREADS_H
#define IFR_RUNTIME_THREADS_H

#include "runtime/heap.h"
#include "runtime/runtime.h"

enum { REGION_DEPTH = 8 };

/* A thread's own state; all zeros at first. */
struct thread {
	struct heap *idle;  /* its heap, NULL inside an allocation: whoever comes in between is a signal handler */
	struct heap *heap;  /* NULL: none yet, or none any more */
	struct heap *spare; /* heaps of threads it has joined, for those it will start */
	bool finding;       /* inside of finding a heap */
	bool in_shared;     /* inside the shared heap */
	bool ended;         /* its heap is given up; destructors may still allocate */
	bool without;       /* there was no window left for it */
	/* log.c: */
	bool in_log;
	unsigned char *log;
	uint64_t log_sequence, log_address;
	/* regions.c: */
	unsigned region_depth;
	struct {
		int region;
		uint64_t cycles, time_ns;
		uint64_t events[IFR_REGION_EVENTS];
		bool events_lost;
	} region[REGION_DEPTH];
};

/* Initial-exec: reading it never allocates. */
extern _Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

/* The calling thread's heap, NULL if it has none or is inside it already; and out of it again. */
static inline struct heap *thread_enter(struct thread *thread) {
	struct heap *heap = thread->idle;
	thread->idle = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	return heap;
}

static inline void thread_leave(struct thread *thread, struct heap *heap) {
	atomic_signal_fence(memory_order_seq_cst);
	if (heap)
		thread->idle = heap;
}

/* Makes the first thread's heap and the heap that threads without one share. */
void threads_init(void);

/* The calling thread's heap; makes one for a thread that nobody announced. NULL if it has none. */
struct heap *threads_heap(void);

/* The heap for a thread that the caller is about to start; NULL if it shall do without. */
struct heap *threads_announce(bool detached);
/* It has this name; uses is the heap's, from before it was started. */
void threads_started(struct heap *heap, unsigned uses, pthread_t name);
/* It could not be started. */
void threads_withdraw(struct heap *heap);
/* In the new thread. */
void threads_begin(struct heap *heap, pthread_t self);
/* In a thread that ends, when nothing of the program will run in it any more. */
void threads_end(void);
/* Before pthread_join, as long as the name is that thread's alone; then after it, with whether it succeeded. The
 * heap may be NULL. */
struct heap *threads_joining(pthread_t thread);
void threads_joined(struct heap *heap, bool success);
/* Before pthread_detach. */
void threads_detached(pthread_t thread);

/* The heap of threads without one. NULL in a signal handler that came while its thread was in it. */
struct heap *threads_enter_shared(void);
void threads_leave_shared(void);

/* Around fork, in the thread that forks. */
void threads_before_fork(void);
void threads_after_fork(void);

#endif
