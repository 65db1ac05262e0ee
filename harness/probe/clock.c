/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/clock.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "common/clock.h"
#include "harness/counters/counters.h"
#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"
#include "harness/statistics/statistics.h"

enum {
	REPETITIONS_LEAST = 7,
	REPETITIONS_MOST = 81,
	TICKS_LEAST = 60000,              /* of a timed call: some 20 microseconds, which few interrupts meet */
	TICKS_TRAINED = 10 * TICKS_LEAST, /* where predictors learn slowly */
	ROUNDS_MOST = 1 << 22,
	NOPS = 1024,
	HUGE_PAGE = 2 << 20
};
#define GRACE_NS INT64_C(10000000000)

/* The child's report, in shared memory. */
struct report {
	volatile size_t repetitions;
	volatile int failed;        /* errno of a mapping */
	struct ifr_error uncounted; /* why events are not counted */
	double ticks[REPETITIONS_MOST][PROBE_BATCH_MOST], counts[REPETITIONS_MOST][PROBE_BATCH_MOST];
};

typedef void kernel_function(uint64_t rounds, uint64_t start, uint64_t end, uint64_t start_again);

void probe_batch_init(struct probe_batch *batch, bool wants_huge_pages, int64_t budget_ns) {
	probe_batch_init_from(batch, 0, wants_huge_pages, budget_ns);
}

void probe_batch_init_from(struct probe_batch *batch, unsigned first, bool wants_huge_pages, int64_t budget_ns) {
	*batch = (struct probe_batch){.first = first, .wants_huge_pages = wants_huge_pages, .budget_ns = budget_ns};
	probe_unit_chain(probe_batch_add(batch));
	probe_nops(probe_batch_add(batch), NOPS, 1);
}

void probe_batch_release(struct probe_batch *batch) {
	for (size_t i = 0; i < batch->count; i++)
		probe_kernel_release(&batch->kernels[i]);
	free(batch->ticks);
	free(batch->counts);
	*batch = (struct probe_batch){0};
}

struct probe_kernel *probe_batch_add(struct probe_batch *batch) {
	struct probe_kernel *kernel = &batch->kernels[batch->count];
	probe_kernel_init(kernel, batch->first + (unsigned)batch->count++);
	return kernel;
}

/* --- in the child ------------------------------------------------------------------------------------------------ */

static size_t round_up(uint64_t bytes) {
	return (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
}

/* A huge page is given to a mapping that has all of it. */
static int map_at(uint64_t from, uint64_t to, bool huge) {
	const size_t bytes = round_up(to - from);
	void *at = mmap((void *)from, bytes, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		return errno;
	if (at == (void *)from)
		madvise(at, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return at == (void *)from ? 0 : EEXIST;
}

static bool protect(uint64_t from, uint64_t to) {
	return !mprotect((void *)from, round_up(to - from), PROT_READ | PROT_EXEC);
}

static int map_kernel(const struct probe_kernel *kernel, bool huge) {
	const bool has_far = kernel->far < kernel->far_end;
	int rc = map_at(kernel->code, kernel->code_end, huge);
	if (!rc && has_far)
		rc = map_at(kernel->far, kernel->far_end, huge);
	for (size_t i = 0; !rc && i < kernel->pieces_count; i++)
		memcpy((void *)kernel->pieces[i].address, kernel->bytes.data + kernel->pieces[i].at,
		       kernel->pieces[i].bytes);
	if (!rc && (!protect(kernel->code, kernel->code_end) || (has_far && !protect(kernel->far, kernel->far_end))))
		rc = errno;
	if (!rc)
		rc = map_at(kernel->data, kernel->data_end, huge);
	for (size_t i = 0; !rc && i < kernel->words_count; i++) {
		const struct probe_word *word = &kernel->words[i];
		memcpy((void *)word->address, &word->value, word->byte ? 1 : sizeof word->value);
	}
	return rc;
}

static uint64_t time_call(const struct probe_kernel *kernel, uint64_t rounds) {
	kernel_function *function = (kernel_function *)kernel->entry;
	unsigned processor;
	_mm_lfence();
	const uint64_t begin = __rdtsc();
	_mm_lfence();
	function(rounds, kernel->start, kernel->end, kernel->start);
	const uint64_t end = __rdtscp(&processor);
	_mm_lfence();
	return end - begin;
}

/* Rounds for a call that is long enough, in whole periods. */
static uint64_t choose_rounds(const struct probe_batch *batch, const struct probe_kernel *kernel) {
	const uint64_t ticks_least = batch->learns_slowly ? TICKS_TRAINED : TICKS_LEAST;
	uint64_t rounds = kernel->rounds * (batch->periods ? batch->periods : 1);
	while (rounds < ROUNDS_MOST && time_call(kernel, rounds) < ticks_least)
		rounds *= 2;
	return rounds;
}

/* Without the handlers of the program, a child's fault ends it. */
static void reset_signals(void) {
	static const int all[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGINT, SIGTERM};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		signal(all[i], SIG_DFL);
}

static void pin(void) {
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* Times a call, and counts its events. Returns false where they are not exact. */
static bool measure_call(const struct probe_kernel *kernel, uint64_t rounds, struct ifr_own_events *events,
                         double *ticks, double *count, struct ifr_error *err) {
	if (events)
		ifr_own_events_start(events);
	*ticks = (double)time_call(kernel, rounds);
	return !events || !ifr_own_events_stop(events, count, err);
}

/* Returns false past the deadline, as beside other work a repetition may take long, or where events are not exact. */
static bool measure_repetition(const struct probe_batch *batch, const uint64_t *rounds,
                               struct ifr_own_events *events, double *ticks, double *counts, int64_t deadline,
                               struct ifr_error *err) {
	double of_call = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_kernel *kernel = &batch->kernels[i];
		if (ifr_clock_ns() > deadline)
			return false;
		time_call(kernel, kernel->rounds > rounds[i] / 2 ? kernel->rounds : rounds[i] / 2); /* warms up */
		const double elements = (double)rounds[i] / (double)kernel->rounds * (double)kernel->elements;
		if (!measure_call(kernel, rounds[i], events, &ticks[i], &counts[i], err))
			return false;
		of_call = i ? of_call : counts[i];
		ticks[i] /= elements;
		counts[i] = (counts[i] - of_call) / elements;
	}
	return true;
}

static void measure(const struct probe_batch *batch, struct ifr_own_events *events, struct report *report,
                    int64_t deadline) {
	struct ifr_error err = {0};
	const size_t most = batch->repetitions_most ? batch->repetitions_most : REPETITIONS_MOST;
	uint64_t rounds[PROBE_BATCH_MOST];
	for (size_t i = 0; i < batch->count; i++)
		rounds[i] = choose_rounds(batch, &batch->kernels[i]);
	while (report->repetitions < most &&
	       measure_repetition(batch, rounds, events, report->ticks[report->repetitions],
	                          report->counts[report->repetitions], deadline, &err))
		report->repetitions++;
	if (report->repetitions < REPETITIONS_LEAST)
		report->uncounted = err;
}

static _Noreturn void run_child(const struct probe_batch *batch, struct report *report) {
	const int64_t deadline = ifr_clock_ns() + batch->budget_ns;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	reset_signals();
	pin();
	for (size_t i = 0; i < batch->count; i++) {
		report->failed = map_kernel(&batch->kernels[i], batch->wants_huge_pages);
		if (report->failed)
			_exit(1);
	}
	struct ifr_own_events *events = NULL;
	if (batch->events && ifr_own_events_open(batch->events, &events, &report->uncounted))
		_exit(1);
	measure(batch, events, report, deadline);
	_exit(0);
}

/* --- in the parent ----------------------------------------------------------------------------------------------- */

/* Waits for the child's end, and kills it after its time. */
static int await(pid_t child, int64_t limit_ns) {
	const int64_t deadline = ifr_clock_ns() + limit_ns;
	const struct timespec nap = {.tv_nsec = 2000000};
	int status = 0;
	for (;;) {
		const pid_t ended = waitpid(child, &status, WNOHANG);
		if (ended == child || (ended < 0 && errno != EINTR))
			return status;
		if (ifr_clock_ns() > deadline) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return status;
		}
		nanosleep(&nap, NULL);
	}
}

static void free_values(struct probe_batch *batch) {
	free(batch->ticks);
	free(batch->counts);
	batch->ticks = batch->counts = NULL;
}

/* [repetition][kernel], of as many kernels as there are. */
static double *pack_values(const struct probe_batch *batch, const double values[][PROBE_BATCH_MOST]) {
	double *packed = ifr_realloc(NULL, batch->repetitions * batch->count, sizeof *packed);
	for (size_t i = 0; i < batch->repetitions; i++)
		memcpy(packed + i * batch->count, values[i], batch->count * sizeof *packed);
	return packed;
}

static int keep_report(struct probe_batch *batch, const struct report *report, int status, struct ifr_error *err) {
	free_values(batch);
	batch->repetitions = report->repetitions;
	if (report->uncounted.code) {
		if (err)
			*err = report->uncounted;
		return -report->uncounted.code;
	}
	if (report->failed) {
		errno = report->failed;
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot map code to be timed");
	}
	/* A child that died in its work has left whole repetitions, unless a kernel's code was at fault. */
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "code to be timed ended with signal %d", WTERMSIG(status));
	if (batch->repetitions < REPETITIONS_LEAST)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "only %zu repetitions fitted the budget", batch->repetitions);
	batch->ticks = pack_values(batch, report->ticks);
	if (batch->events)
		batch->counts = pack_values(batch, report->counts);
	return 0;
}

/* Repetitions that have an interval. */
static int run_modelled(struct probe_batch *batch, struct ifr_error *err) {
	enum { REPETITIONS = 9 };
	int rc = 0;
	free(batch->ticks);
	batch->repetitions = REPETITIONS;
	batch->ticks = ifr_realloc(NULL, batch->repetitions * batch->count, sizeof *batch->ticks);
	for (size_t i = 0; i < batch->count && !rc; i++) {
		double cycles = 1;
		if (i >= PROBE_REFERENCES)
			rc = probe_modelled_cycles(batch->machine, &batch->kernels[i], &cycles, err);
		for (size_t repetition = 0; repetition < REPETITIONS; repetition++)
			batch->ticks[repetition * batch->count + i] = cycles;
	}
	return rc;
}

int probe_batch_run(struct probe_batch *batch, struct ifr_error *err) {
	if (batch->machine)
		return run_modelled(batch, err);
	struct report *report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "no memory for times");
	const pid_t child = fork();
	if (!child)
		run_child(batch, report);
	const int rc = child < 0 ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot start a process")
	                         : keep_report(batch, report, await(child, batch->budget_ns + GRACE_NS), err);
	munmap(report, sizeof *report);
	return rc;
}

/* --- repetitions that another thread disturbed --- */

/* The tenth of the ticks of a reference that are lowest: few repetitions need be undisturbed. */
static double low_ticks(const struct probe_batch *batch, size_t reference) {
	double values[REPETITIONS_MOST], low = 0;
	for (size_t i = 0; i < batch->repetitions; i++)
		values[i] = batch->ticks[i * batch->count + reference];
	return ifr_sample_quantile(values, batch->repetitions, 0.1, &low, NULL) ? 0 : low;
}

/* Each reference at its own best: a quotient of one repetition is low where its exclusive ors were disturbed. */
double probe_batch_best_nop(const struct probe_batch *batch) {
	enum { ENOUGH = 21 };
	const double ors = low_ticks(batch, 0);
	return batch->repetitions < ENOUGH || ors <= 0 ? 0 : low_ticks(batch, 1) / ors;
}

int probe_batch_select(struct probe_batch *batch, double most, struct ifr_error *err) {
	const size_t all = batch->repetitions;
	const double ors = 1.1 * low_ticks(batch, 0);
	size_t kept = 0;
	for (size_t i = 0; i < all; i++) {
		const double *ticks = batch->ticks + i * batch->count;
		if (ticks[0] > ors || ticks[1] > most * ticks[0])
			continue;
		memmove(batch->ticks + kept * batch->count, ticks, batch->count * sizeof *ticks);
		if (batch->counts)
			memmove(batch->counts + kept * batch->count, batch->counts + i * batch->count,
			        batch->count * sizeof *batch->counts);
		kept++;
	}
	batch->repetitions = kept;
	if (kept < REPETITIONS_LEAST)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "other work disturbed %zu of %zu repetitions", all - kept, all);
	return 0;
}

/* --- estimates --------------------------------------------------------------------------------------------------- */

struct probe_estimate probe_batch_difference(const struct probe_batch *batch, size_t kernel, double elements,
                                             size_t less, double less_elements) {
	double values[REPETITIONS_MOST];
	for (size_t i = 0; i < batch->repetitions; i++) {
		const double *ticks = batch->ticks + i * batch->count;
		const double other = less ? ticks[less + PROBE_REFERENCES - 1] * less_elements : 0;
		values[i] = (ticks[kernel + PROBE_REFERENCES - 1] * elements - other) / ticks[0];
	}
	return probe_estimate_median(values, batch->repetitions);
}

struct probe_estimate probe_batch_cycles(const struct probe_batch *batch, size_t kernel, size_t less) {
	return probe_batch_difference(batch, kernel, 1, less, 1);
}

struct probe_estimate probe_batch_events(const struct probe_batch *batch, size_t kernel, size_t less) {
	double values[REPETITIONS_MOST];
	for (size_t i = 0; batch->counts && i < batch->repetitions; i++) {
		const double *counts = batch->counts + i * batch->count;
		values[i] = counts[kernel + PROBE_REFERENCES - 1] - (less ? counts[less + PROBE_REFERENCES - 1] : 0);
	}
	return probe_estimate_median(values, batch->counts ? batch->repetitions : 0);
}

struct probe_estimate probe_batch_ticks(const struct probe_batch *batch) {
	double values[REPETITIONS_MOST];
	for (size_t i = 0; i < batch->repetitions; i++)
		values[i] = batch->ticks[i * batch->count];
	return probe_estimate_median(values, batch->repetitions);
}
