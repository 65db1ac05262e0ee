/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/threads.h"

#include "common/random.h"

_Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

enum {
	SPARE_SOON = 64 /* so many heaps of detached threads may lie idle before they are used again */
};

/* Under the lock: the table of windows, spare heaps and every heap's standing. */
static struct {
	pthread_mutex_t lock;
	unsigned sequential; /* the next window for a child of the first thread */
	unsigned unannounced;
	struct heap *spare; /* of threads that nobody joins */
	unsigned spares;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap *shared;

static struct heap *heap_at(unsigned window) {
	return atomic_load_explicit(&arena.heap[window], memory_order_acquire);
}

static struct heap *open_window(unsigned window, uint64_t id, struct thread *owner) {
	if (window && !arena_open(window))
		return NULL;
	struct heap *heap = (struct heap *)(arena.heaps + window * arena.heap_bytes);
	heap_init(heap, window, id);
	heap->owner = owner;
	atomic_store_explicit(&arena.heap[window], heap, memory_order_release);
	return heap;
}

void threads_init(void) {
	struct heap *heap = open_window(0, 0, &this_thread);
	heap->thread = pthread_self();
	heap->standing = HEAP_RUNNING;
	this_thread.heap = heap;
	table.sequential = 1;
	table.unannounced = 0;
	table.spare = NULL;
	table.spares = 0;
	shared = open_window(arena.windows - 1, UINT64_MAX, NULL);
}

static uint64_t child_id(uint64_t parent, uint64_t number) {
	const uint64_t name[2] = {parent, number};
	uint64_t id = ifr_siphash(0, 0, name, sizeof name);
	return id ? id : 1;
}

/* The first thread's children get the lower windows in turn. All others begin to look where their id says, in the
 * upper half: races between their parents show only where two ids meet. */
static struct heap *find_window(uint64_t id, bool first_thread) {
	unsigned half = arena.windows / 2, upper = arena.windows - 1 - half;
	if (first_thread && table.sequential < half)
		return open_window(table.sequential++, id, NULL);
	unsigned from = (unsigned)ifr_random_below(id, upper);
	for (unsigned i = 0; i < upper; i++) {
		unsigned window = half + (from + i) % upper;
		if (!heap_at(window))
			return open_window(window, id, NULL);
	}
	return table.sequential < half ? open_window(table.sequential++, id, NULL) : NULL;
}

static struct heap *pop(struct heap **list) {
	struct heap *heap = *list;
	if (heap)
		*list = heap->next;
	return heap;
}

static struct heap *find_heap(uint64_t id, bool first_thread) {
	struct heap *heap = pop(&this_thread.spare);
	if (!heap && table.spares > SPARE_SOON) {
		heap = pop(&table.spare);
		table.spares -= heap != NULL;
	}
	if (!heap)
		heap = find_window(id, first_thread);
	if (!heap) {
		heap = pop(&table.spare);
		table.spares -= heap != NULL;
	}
	if (heap)
		heap_set_id(heap, id);
	return heap;
}

struct heap *threads_heap(void) {
	struct thread *thread = &this_thread;
	if (thread->heap || thread->ended || thread->without)
		return thread->heap;
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_heap(child_id(UINT64_MAX, ++table.unannounced), false);
	if (heap) {
		heap->thread = pthread_self();
		heap->detached = false;
		heap->standing = HEAP_RUNNING;
		heap->owner = thread;
	}
	pthread_mutex_unlock(&table.lock);
	thread->heap = heap;
	thread->without = !heap;
	return heap;
}

struct heap *threads_announce(bool detached) {
	struct heap *parent = threads_heap();
	if (!parent)
		return NULL;
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_heap(child_id(parent->id, ++parent->children), parent->id == 0);
	if (heap) {
		heap->standing = HEAP_STARTING;
		heap->detached = detached;
		heap->owner = NULL;
	}
	pthread_mutex_unlock(&table.lock);
	return heap;
}

static void make_spare(struct heap *heap, struct heap **list) {
	heap->standing = HEAP_SPARE;
	heap->next = *list;
	*list = heap;
}

void threads_withdraw(struct heap *heap) {
	pthread_mutex_lock(&table.lock);
	heap->owner = &this_thread;
	make_spare(heap, &this_thread.spare);
	pthread_mutex_unlock(&table.lock);
}

/* Under the lock. */
static struct heap *find_thread(pthread_t thread) {
	for (unsigned window = 0; window + 1 < arena.windows; window++) {
		struct heap *heap = heap_at(window);
		if (heap && heap->standing >= HEAP_RUNNING && pthread_equal(heap->thread, thread))
			return heap;
	}
	return NULL;
}

static void abandon(struct heap *heap) {
	heap->owner = NULL;
	make_spare(heap, &table.spare);
	table.spares++;
}

void threads_begin(struct heap *heap, pthread_t self) {
	pthread_mutex_lock(&table.lock);
	/* Whoever had this name before has ended, and nobody was told. */
	struct heap *old = find_thread(self);
	if (old)
		abandon(old);
	heap->thread = self;
	heap->standing = HEAP_RUNNING;
	heap->owner = &this_thread;
	pthread_mutex_unlock(&table.lock);
	this_thread.heap = heap;
}

void threads_end(void) {
	struct thread *thread = &this_thread;
	pthread_mutex_lock(&table.lock);
	for (struct heap *heap; (heap = pop(&thread->spare));)
		abandon(heap);
	if (thread->heap && thread->heap->detached)
		abandon(thread->heap);
	else if (thread->heap)
		thread->heap->standing = HEAP_ENDED;
	pthread_mutex_unlock(&table.lock);
	thread->heap = NULL;
	thread->ended = true;
}

void threads_joined(pthread_t joined) {
	struct thread *thread = &this_thread;
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_thread(joined);
	if (heap) {
		heap->owner = thread->ended ? NULL : thread;
		make_spare(heap, thread->ended ? &table.spare : &thread->spare);
	}
	pthread_mutex_unlock(&table.lock);
	if (heap && !thread->ended) {
		thread->busy = true;
		atomic_signal_fence(memory_order_seq_cst);
		heap_drain(heap);
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = false;
	}
}

void threads_detached(pthread_t detached) {
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_thread(detached);
	if (heap && heap->standing == HEAP_ENDED)
		abandon(heap);
	else if (heap)
		heap->detached = true;
	pthread_mutex_unlock(&table.lock);
}

struct heap *threads_enter_shared(void) {
	if (!shared || this_thread.in_shared)
		return NULL;
	this_thread.in_shared = true;
	atomic_signal_fence(memory_order_seq_cst);
	pthread_mutex_lock(&shared_lock);
	return shared;
}

void threads_leave_shared(void) {
	pthread_mutex_unlock(&shared_lock);
	atomic_signal_fence(memory_order_seq_cst);
	this_thread.in_shared = false;
}

void threads_before_fork(void) {
	pthread_mutex_lock(&table.lock);
	pthread_mutex_lock(&shared_lock);
}

void threads_after_fork(void) {
	pthread_mutex_unlock(&shared_lock);
	pthread_mutex_unlock(&table.lock);
}
