/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heaps of threads. A heap's id, and with it every address, depends on which thread started it as which of its
 * children, never on timing. The heap of a joined thread, with its live objects, passes to the joining thread,
 * which gives it to the next thread that it starts. */
#ifndef IFR_RUNTIME_THREADS_H
#define IFR_RUNTIME_THREADS_H

#include "runtime/heap.h"
#include "runtime/runtime.h"

enum { REGION_DEPTH = 8 };

/* The state of a thread; initially zero. */
struct thread {
	struct heap *idle;    /* its heap; NULL while the thread is inside it, as seen by a signal handler */
	struct heap *heap;    /* its heap; NULL: none yet, or none any more */
	struct heap *spare;   /* heaps of joined threads, for threads it starts */
	bool finding;         /* inside threads_heap */
	bool in_shared;       /* inside the shared heap */
	bool ended;           /* its heap is given up; destructors may still allocate */
	bool without;         /* no window was left for it */
	uint16_t site_offset; /* sites.c: page offset of the next block, and 1; 0: the policy's */
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

/* Initial-exec: an access never allocates. */
extern _Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

/* thread_enter returns the calling thread's heap for exclusive use; NULL if it has none or is using it already.
 * thread_leave ends that. */
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

/* Creates the first thread's heap and the shared heap. */
void threads_init(void);

/* Returns the calling thread's heap, and creates one for a thread that was not announced. NULL: none. */
struct heap *threads_heap(void);

/* Returns the heap for a thread that the caller is about to start; NULL: it uses the shared one. */
struct heap *threads_announce(bool detached);
/* Records the thread's pthread_t. uses: heap->uses before the start. */
void threads_started(struct heap *heap, unsigned uses, pthread_t name);
/* Takes back the heap of a thread that could not be started. */
void threads_withdraw(struct heap *heap);
/* Called in the new thread. */
void threads_begin(struct heap *heap, pthread_t self);
/* Called in a thread that ends, after its last destructor. */
void threads_end(void);
/* Called before pthread_join, while the pthread_t is unique; then after it, with its success. heap may be NULL. */
struct heap *threads_joining(pthread_t thread);
void threads_joined(struct heap *heap, bool success);
/* Called before pthread_detach. */
void threads_detached(pthread_t thread);

/* Locks and returns the heap of threads without one. NULL in a signal handler that interrupted its use. */
struct heap *threads_enter_shared(void);
void threads_leave_shared(void);

/* Called around fork, in the forking thread. */
void threads_before_fork(void);
void threads_after_fork(void);

#endif
