/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/threads.h"

#include "common/random.h"

_Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

enum {
	CHILDREN = 15,  /* windows reserved for the children of a child of the first thread */
	SPARE_SOON = 64 /* heaps of detached threads that stay spare before they are reused */
};

/* Guarded by the lock: the table of windows, spare heaps and all heaps' states. */
static struct {
	pthread_mutex_t lock;
	unsigned unannounced;
	struct heap *all;
	struct heap *spare; /* spare heaps of detached threads */
	unsigned spares;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap *shared;

static struct heap *heap_at(unsigned window) {
	return atomic_load_explicit(&arena.heap[window], memory_order_acquire);
}

static struct heap *open_windows(unsigned window, unsigned count, uint64_t id, struct thread *owner) {
	if (window && !arena_open(window, count))
		return NULL;
	struct heap *heap = arena_heap_room(window);
	heap_init(heap, window, count, id);
	heap->owner = owner;
	heap->all = table.all;
	table.all = heap;
	for (unsigned i = 0; i < count; i++)
		atomic_store_explicit(&arena.heap[window + i], heap, memory_order_release);
	return heap;
}

void threads_init(void) {
	table.unannounced = 0;
	table.all = table.spare = NULL;
	table.spares = 0;
	shared = open_windows(arena.windows - 1, 1, UINT64_MAX, NULL);
	struct heap *heap = open_windows(0, arena.main_windows, 0, &this_thread);
	heap->child_window = arena.main_windows;
	heap->child_end = arena.windows / 2;
	heap->thread = pthread_self();
	heap->standing = HEAP_RUNNING;
	this_thread.heap = this_thread.idle = heap;
}

static uint64_t child_id(uint64_t parent, uint64_t number) {
	const uint64_t name[2] = {parent, number};
	uint64_t id = ifr_siphash(0, 0, name, sizeof name);
	return id ? id : 1;
}

/* Finds a window in the upper half, from a start that the id determines: the order of arrival matters only if two
 * ids collide. */
static struct heap *find_any_window(uint64_t id) {
	unsigned half = arena.windows / 2, upper = arena.windows - 1 - half;
	unsigned from = (unsigned)ifr_random_below(id, upper);
	for (unsigned i = 0; i < upper; i++) {
		unsigned window = half + (from + i) % upper;
		if (!heap_at(window))
			return open_windows(window, 1, id, NULL);
	}
	return NULL;
}

/* Finds a window for a child. Children of the first thread get consecutive windows, each followed by some for its
 * own children. Later ones get any window. */
static struct heap *find_window(uint64_t id, struct heap *parent) {
	unsigned more = parent && parent->id == 0 && arena.windows >= 1024 ? CHILDREN : 0;
	if (!parent || parent->child_window + 1 + more > parent->child_end)
		return find_any_window(id);
	struct heap *heap = open_windows(parent->child_window, 1, id, NULL);
	if (!heap)
		return NULL;
	heap->child_window = parent->child_window + 1;
	heap->child_end = heap->child_window + more;
	parent->child_window += 1 + more;
	return heap;
}

static struct heap *pop_heap(struct heap **list) {
	struct heap *heap = *list;
	if (heap)
		*list = heap->next;
	return heap;
}

static struct heap *find_heap(uint64_t id, struct heap *parent) {
	struct heap *heap = pop_heap(&this_thread.spare);
	if (!heap && table.spares > SPARE_SOON) {
		heap = pop_heap(&table.spare);
		table.spares -= heap != NULL;
	}
	if (!heap)
		heap = find_window(id, parent);
	if (!heap) {
		heap = pop_heap(&table.spare);
		table.spares -= heap != NULL;
	}
	if (heap)
		heap_set_id(heap, id);
	return heap;
}

static struct heap *find_unannounced(struct thread *thread) {
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_heap(child_id(UINT64_MAX, ++table.unannounced), NULL);
	if (heap) {
		heap->thread = pthread_self();
		heap->detached = false;
		heap->standing = HEAP_RUNNING;
		heap->owner = thread;
	}
	pthread_mutex_unlock(&table.lock);
	return heap;
}

struct heap *threads_heap(void) {
	struct thread *thread = &this_thread;
	if (thread->heap || thread->ended || thread->without || thread->finding)
		return thread->heap;
	thread->finding = true;
	atomic_signal_fence(memory_order_seq_cst);
	thread->heap = find_unannounced(thread);
	thread->without = !thread->heap;
	atomic_signal_fence(memory_order_seq_cst);
	thread->idle = thread->heap;
	thread->finding = false;
	return thread->heap;
}

struct heap *threads_announce(bool detached) {
	struct heap *parent = threads_heap();
	if (!parent)
		return NULL;
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_heap(child_id(parent->id, ++parent->children), parent);
	if (heap) {
		heap->standing = HEAP_STARTING;
		heap->uses++;
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

/* The caller holds the lock. */
static struct heap *find_thread(pthread_t thread) {
	for (struct heap *heap = table.all; heap; heap = heap->all)
		if (heap->standing >= HEAP_STARTED && !heap->joining && pthread_equal(heap->thread, thread))
			return heap;
	return NULL;
}

static void make_unowned(struct heap *heap) {
	heap->owner = NULL;
	make_spare(heap, &table.spare);
	table.spares++;
}

void threads_started(struct heap *heap, unsigned uses, pthread_t name) {
	pthread_mutex_lock(&table.lock);
	/* Unless the thread has begun, or has ended and the heap is reused. */
	if (heap->uses == uses && heap->standing == HEAP_STARTING) {
		heap->thread = name;
		heap->standing = HEAP_STARTED;
	}
	pthread_mutex_unlock(&table.lock);
}

void threads_begin(struct heap *heap, pthread_t self) {
	pthread_mutex_lock(&table.lock);
	/* An earlier thread with this pthread_t has ended unnoticed. */
	struct heap *old = find_thread(self);
	if (old && old != heap)
		make_unowned(old);
	heap->thread = self;
	heap->standing = HEAP_RUNNING;
	heap->owner = &this_thread;
	pthread_mutex_unlock(&table.lock);
	this_thread.heap = this_thread.idle = heap;
}

void threads_end(void) {
	struct thread *thread = &this_thread;
	pthread_mutex_lock(&table.lock);
	for (struct heap *heap; (heap = pop_heap(&thread->spare));)
		make_unowned(heap);
	if (thread->heap && thread->heap->detached)
		make_unowned(thread->heap);
	else if (thread->heap)
		thread->heap->standing = HEAP_ENDED;
	pthread_mutex_unlock(&table.lock);
	thread->heap = thread->idle = NULL;
	thread->ended = true;
}

struct heap *threads_joining(pthread_t joined) {
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_thread(joined);
	if (heap)
		heap->joining = true;
	pthread_mutex_unlock(&table.lock);
	return heap;
}

void threads_joined(struct heap *heap, bool success) {
	struct thread *thread = &this_thread;
	if (!heap)
		return;
	pthread_mutex_lock(&table.lock);
	heap->joining = false;
	if (success && thread->ended) {
		make_unowned(heap);
	} else if (success) {
		heap->owner = thread;
		make_spare(heap, &thread->spare);
	}
	pthread_mutex_unlock(&table.lock);
	if (!success || thread->ended)
		return;
	struct heap *own = thread_enter(thread);
	heap_drain(heap);
	thread_leave(thread, own);
}

void threads_detached(pthread_t detached) {
	pthread_mutex_lock(&table.lock);
	struct heap *heap = find_thread(detached);
	if (heap && heap->standing == HEAP_ENDED)
		make_unowned(heap);
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
