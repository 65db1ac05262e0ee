/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/qemu/syscalls.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/random.h"
#include "common/recorder_marks.h"
#include "model/recorder/qemu/writer.h"

/* Answered wall-clock time at the start, seconds since 1970: a date in 2017. */
enum { WALL_CLOCK = 1500000000 };

struct call {
	uint64_t arguments[6];
};

static struct call calls[RING_THREADS];
static uint64_t guest_base; /* address in this process of the program's address 0 */
static uint64_t clock_reads, random_bytes;

static void *host_address(uint64_t address) {
	return (void *)(uintptr_t)(address + guest_base);
}

/* Writes numbers and a path as one record. */
static void write_path_record(unsigned thread, enum ring_record type, const uint64_t *numbers, size_t count,
                              const char *path) {
	uint64_t padded[PATH_MAX / 8 + 1] = {0};
	size_t length = strnlen(path, PATH_MAX - 1);
	memcpy(padded, path, length);
	struct writer_part parts[] = {{numbers, count}, {padded, length / 8 + 1}};
	writer_record(thread, type, parts, 2);
}

void syscalls_first_block(uint64_t address, const void *bytes) {
	guest_base = (uint64_t)(uintptr_t)bytes - address;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 128];
	while (maps && fgets(line, sizeof line, maps)) {
		uint64_t numbers[4] = {0}; /* start, end, protection, offset */
		char protection[8] = "", path[PATH_MAX] = "";
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &numbers[0], &numbers[1], protection, &numbers[3],
		           path) < 4)
			continue;
		numbers[0] -= guest_base;
		numbers[1] -= guest_base;
		numbers[2] = (protection[0] == 'r' ? PROT_READ : 0U) | (protection[1] == 'w' ? PROT_WRITE : 0U) |
		             (protection[2] == 'x' ? PROT_EXEC : 0U);
		write_path_record(RING_THREADS, RING_MAPPING, numbers, 4, path);
	}
	if (maps)
		fclose(maps);
}

/* --- repeatable answers -------------------------------------------------------------------------------------- */

/* Each reading advances the clock by a millisecond, so that a program that polls it makes progress. Each is noted: an
 * adaptive program is recognised by its readings. */
static int64_t now_ms(unsigned cpu) {
	writer_note(cpu, IFR_RECORDING_NOTE_TIME, 0);
	return (int64_t)++clock_reads;
}

int64_t syscalls_now(void) {
	return WALL_CLOCK + (int64_t)++clock_reads / 1000;
}

static void answer_clock(unsigned cpu, const struct call *call) {
	struct timespec *time = host_address(call->arguments[1]);
	int64_t ms = now_ms(cpu);
	bool wall = call->arguments[0] == CLOCK_REALTIME || call->arguments[0] == CLOCK_REALTIME_COARSE ||
	            call->arguments[0] == CLOCK_TAI;
	bool spent = call->arguments[0] == CLOCK_PROCESS_CPUTIME_ID || call->arguments[0] == CLOCK_THREAD_CPUTIME_ID;
	time->tv_sec = ms / 1000 + (wall ? WALL_CLOCK : spent ? 0 : 1000);
	time->tv_nsec = ms % 1000 * 1000000;
}

static void answer_usage(unsigned cpu, const struct call *call) {
	struct rusage *usage = host_address(call->arguments[1]);
	int64_t ms = now_ms(cpu);
	memset(usage, 0, sizeof *usage);
	usage->ru_utime = (struct timeval){ms / 1000, ms % 1000 * 1000};
}

static void answer_day(unsigned cpu, const struct call *call) {
	struct timeval *time = host_address(call->arguments[0]);
	int64_t ms = now_ms(cpu);
	if (call->arguments[0])
		*time = (struct timeval){WALL_CLOCK + ms / 1000, ms % 1000 * 1000};
}

static uint8_t random_byte(void) {
	random_bytes++;
	return (uint8_t)ifr_siphash(0, 0, &random_bytes, sizeof random_bytes);
}

static void answer_random(unsigned cpu, uint64_t where, int64_t length) {
	uint8_t *bytes = host_address(where);
	if (!random_bytes)
		writer_note(cpu, IFR_RECORDING_NOTE_RANDOM, 0);
	for (int64_t i = 0; i < length; i++)
		bytes[i] = random_byte();
}

/* Descriptors that are open on a random device. */
enum { DESCRIPTORS = 1024 };
static bool is_random[DESCRIPTORS];

static void read_descriptor_path(int64_t descriptor, char *path, size_t room) {
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%lld", (long long)descriptor);
	ssize_t length = readlink(link, path, room - 1);
	path[length < 0 ? 0 : length] = '\0';
}

static void note_opened(int64_t descriptor) {
	char path[16];
	if (descriptor < 0 || descriptor >= DESCRIPTORS)
		return;
	read_descriptor_path(descriptor, path, sizeof path);
	is_random[descriptor] = !strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random");
}

static void answer_read(unsigned cpu, const struct call *call, int64_t length) {
	if (call->arguments[0] < DESCRIPTORS && is_random[call->arguments[0]])
		answer_random(cpu, call->arguments[1], length);
}

/* A variant in another folder is told the original program's path, if both are equally long. */
static char own_path[PATH_MAX];

void syscalls_own_path(const char *path) {
	snprintf(own_path, sizeof own_path, "%s", path);
}

static void answer_link(uint64_t path, uint64_t where, int64_t length) {
	if (length > 0 && (size_t)length == strlen(own_path) && !strcmp(host_address(path), "/proc/self/exe"))
		memcpy(host_address(where), own_path, (size_t)length);
}

/* --- region markers ------------------------------------------------------------------------------------------ */

static char watched[256];
static bool is_open[RING_THREADS][8]; /* by thread and depth: whether the open region is the watched one */
static unsigned depth[RING_THREADS];

void syscalls_watch(const char *region) {
	snprintf(watched, sizeof watched, "%s", region);
}

static void apply_marker(unsigned cpu, uint64_t name) {
	unsigned most = sizeof is_open[0];
	if (!name && depth[cpu]) {
		depth[cpu]--;
		if (depth[cpu] < most && is_open[cpu][depth[cpu]])
			writer_note(cpu, IFR_RECORDING_NOTE_END, 0);
	} else if (name) {
		bool here = !strcmp(host_address(name), watched);
		if (depth[cpu] < most)
			is_open[cpu][depth[cpu]] = here;
		if (here && depth[cpu] < most)
			writer_note(cpu, IFR_RECORDING_NOTE_BEGIN, 0);
		depth[cpu]++;
	}
}

/* --- system calls -------------------------------------------------------------------------------------------- */

static void note_call(unsigned cpu, int64_t number) {
	switch (number) {
	case SYS_fork:
	case SYS_vfork:
		writer_note(cpu, IFR_RECORDING_NOTE_FORK, 0);
		break;
	case SYS_execve:
	case SYS_execveat:
		writer_note(cpu, IFR_RECORDING_NOTE_EXEC, 0); /* no callback follows a success */
		break;
	case SYS_rt_sigreturn:
		writer_note(cpu, IFR_RECORDING_NOTE_SIGNAL, 0);
		break;
	case SYS_getpid:
	case SYS_getppid:
	case SYS_gettid:
		writer_note(cpu, IFR_RECORDING_NOTE_IDENTITY, 0);
		break;
	case SYS_time:
	case SYS_times:
		writer_note(cpu, IFR_RECORDING_NOTE_TIME, 0);
		break;
	default:
		break;
	}
}

void syscalls_before(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                     uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
	(void)id, (void)a7, (void)a8;
	if (cpu >= RING_THREADS)
		return;
	if (number == IFR_RECORDER_REGION)
		apply_marker(cpu, a1);
	if (number == IFR_RECORDER_ENTER)
		writer_record(cpu, RING_ENTER, NULL, 0);
	if (number == IFR_RECORDER_LEAVE)
		writer_record(cpu, RING_LEAVE, &(struct writer_part){(uint64_t[]){a1, a2, a3, a4, a5, a6}, 6}, 1);
	if (number >= IFR_RECORDER_REGION && number <= IFR_RECORDER_LEAVE)
		return;
	calls[cpu] = (struct call){{a1, a2, a3, a4, a5, a6}};
	note_call(cpu, number);
	/* qemu implements vfork and posix_spawn (CLONE_VM until exec) by fork. */
	if (number == SYS_clone && (!(a1 & CLONE_VM) || a1 & CLONE_VFORK))
		writer_note(cpu, IFR_RECORDING_NOTE_FORK, 0);
	/* Hands over this thread's chunk before another thread goes on, whose chunk may unmap this one's stack. */
	if (number == SYS_futex || number == SYS_exit)
		writer_swap(cpu);
}

static void write_mapping(unsigned cpu, int64_t number, int64_t result, const struct call *call) {
	uint64_t numbers[8] = {(uint64_t)number, (uint64_t)result};
	char path[PATH_MAX] = "";
	memcpy(numbers + 2, call->arguments, sizeof call->arguments);
	bool file = number == SYS_mmap && !(call->arguments[3] & MAP_ANONYMOUS);
	if (file)
		read_descriptor_path((int)call->arguments[4], path, sizeof path);
	write_path_record(cpu, RING_SYSCALL, numbers, 8, path);
}

void syscalls_after(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result) {
	(void)id;
	if (cpu >= RING_THREADS)
		return;
	const struct call *call = &calls[cpu];
	switch (number) {
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_brk:
	case SYS_shmat:
		write_mapping(cpu, number, result, call);
		writer_swap(cpu); /* before another thread accesses the mapping */
		break;
	case SYS_clock_gettime:
		if (!result)
			answer_clock(cpu, call);
		break;
	case SYS_gettimeofday:
		if (!result)
			answer_day(cpu, call);
		break;
	case SYS_getrusage:
		if (!result)
			answer_usage(cpu, call);
		break;
	case SYS_getrandom:
		answer_random(cpu, call->arguments[0], result);
		break;
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
		note_opened(result);
		break;
	case SYS_close:
		if (call->arguments[0] < DESCRIPTORS)
			is_random[call->arguments[0]] = false;
		break;
	case SYS_close_range:
		memset(is_random, 0, sizeof is_random);
		break;
	case SYS_read:
		answer_read(cpu, call, result);
		break;
	case SYS_readlink:
		answer_link(call->arguments[0], call->arguments[1], result);
		break;
	case SYS_readlinkat:
		answer_link(call->arguments[1], call->arguments[2], result);
		break;
	default:
		break;
	}
}
