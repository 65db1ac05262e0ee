/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/valgrind/system_calls.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "common/random.h"
#include "common/recorder_marks.h"
#include "model/recorder/valgrind/core.h"
#include "model/recorder/valgrind/instrument.h"
#include "model/recorder/valgrind/writer.h"

enum {
	WALL_CLOCK = 1500000000, /* answered wall-clock time at the start, seconds since 1970: a date in 2017 */
	TICKS_PER_SECOND = 100,
	PATH_BYTES = 4096,
	DESCRIPTORS = 1024,
	REGION_DEPTH = 8,
	CALL_OPENAT2 = 437 /* not in the headers of Valgrind 3.19 */
};

static ULong clock_reads, random_bytes;

void system_calls_write_path(enum ring_record type, const ULong *numbers, SizeT count, const HChar *path) {
	static ULong padded[PATH_BYTES / 8 + 1];
	SizeT length = VG_(strlen)(path);
	length = length < PATH_BYTES ? length : PATH_BYTES - 1;
	VG_(memset)(padded, 0, sizeof padded);
	VG_(memcpy)(padded, path, length);
	const struct writer_part parts[] = {{numbers, count}, {padded, length / 8 + 1}};
	(type == RING_MAPPING ? writer_define : writer_record)(type, parts, 2);
}

/* --- repeatable answers -------------------------------------------------------------------------------------- */

/* Each reading advances the clock by a millisecond, so that a program that polls it makes progress. */
static ULong now_ms(void) {
	writer_note(IFR_RECORDING_NOTE_TIME, 0);
	return ++clock_reads;
}

static void answer_clock(const UWord *arguments) {
	struct vki_timespec *time = (struct vki_timespec *)arguments[1];
	const ULong ms = now_ms();
	const UWord clock = arguments[0];
	const Bool wall = clock == VKI_CLOCK_REALTIME || clock == 5 /* coarse */ || clock == 11 /* TAI */;
	const Bool spent = clock == 2 /* of the process */ || clock == 3 /* of the thread */;
	time->tv_sec = (Long)(ms / 1000 + (wall ? WALL_CLOCK : spent ? 0 : 1000));
	time->tv_nsec = (Long)(ms % 1000 * 1000000);
}

static void answer_usage(const UWord *arguments) {
	struct vki_rusage *usage = (struct vki_rusage *)arguments[1];
	const ULong ms = now_ms();
	VG_(memset)(usage, 0, sizeof *usage);
	usage->ru_utime.tv_sec = (Long)(ms / 1000);
	usage->ru_utime.tv_usec = (Long)(ms % 1000 * 1000);
}

static void answer_day(const UWord *arguments) {
	struct vki_timeval *time = (struct vki_timeval *)arguments[0];
	const ULong ms = now_ms();
	if (!time)
		return;
	time->tv_sec = (Long)(WALL_CLOCK + ms / 1000);
	time->tv_usec = (Long)(ms % 1000 * 1000);
}

static void set_result(ThreadId thread, ULong result) {
	VG_(set_shadow_regs_area)
	(thread, 0, offsetof(VexGuestAMD64State, guest_RAX), sizeof result, (const UChar *)&result);
}

static void answer_time(ThreadId thread, const UWord *arguments) {
	const ULong seconds = WALL_CLOCK + now_ms() / 1000;
	if (arguments[0])
		*(ULong *)arguments[0] = seconds;
	set_result(thread, seconds);
}

static void answer_times(ThreadId thread, const UWord *arguments) {
	const ULong ticks = (WALL_CLOCK + now_ms() / 1000) * TICKS_PER_SECOND;
	if (arguments[0]) {
		ULong *spent = (ULong *)arguments[0]; /* struct tms: four numbers */
		VG_(memset)(spent, 0, 4 * sizeof *spent);
		*spent = ticks;
	}
	set_result(thread, ticks);
}

void system_calls_random(UChar *bytes, SizeT length) {
	for (SizeT i = 0; i < length; i++) {
		random_bytes++;
		bytes[i] = (UChar)ifr_siphash(0, 0, &random_bytes, sizeof random_bytes);
	}
}

static void answer_random(UWord where, UWord length) {
	static Bool noted;
	if (!noted)
		writer_note(IFR_RECORDING_NOTE_RANDOM, 0);
	noted = True;
	system_calls_random((UChar *)where, length);
}

/* Descriptors that are open on a random device. */
static Bool is_random[DESCRIPTORS];

static void read_descriptor_path(UWord descriptor, HChar *path, SizeT room) {
	HChar link[64];
	VG_(sprintf)(link, "/proc/self/fd/%d", (Int)descriptor);
	const SSizeT length = VG_(readlink)(link, path, room - 1);
	path[length < 0 ? 0 : length] = '\0';
}

static void note_opened(UWord descriptor) {
	HChar path[16];
	if (descriptor >= DESCRIPTORS)
		return;
	read_descriptor_path(descriptor, path, sizeof path);
	is_random[descriptor] = !VG_(strcmp)(path, "/dev/urandom") || !VG_(strcmp)(path, "/dev/random");
}

/* A variant in another folder is told the original program's path, if both are equally long. */
static const HChar *own_path = "";

void system_calls_own_path(const HChar *path) {
	own_path = path;
}

static void answer_link(UWord path, UWord where, UWord length) {
	if (length == VG_(strlen)(own_path) && !VG_(strcmp)((const HChar *)path, "/proc/self/exe"))
		VG_(memcpy)((void *)where, own_path, length);
}

/* --- region markers ------------------------------------------------------------------------------------------ */

static const HChar *watched = "";
static Bool is_open[RING_THREADS]
				   [REGION_DEPTH]; /* by thread and depth: whether the open region is the watched one */
static UInt depth[RING_THREADS];

void system_calls_watch(const HChar *region) {
	watched = region;
}

static void apply_marker(UInt thread, UWord name) {
	if (!name && depth[thread]) {
		depth[thread]--;
		if (depth[thread] < REGION_DEPTH && is_open[thread][depth[thread]])
			writer_note(IFR_RECORDING_NOTE_END, 0);
	} else if (name) {
		const Bool here = !VG_(strcmp)((const HChar *)name, watched);
		if (depth[thread] < REGION_DEPTH)
			is_open[thread][depth[thread]] = here;
		if (here && depth[thread] < REGION_DEPTH)
			writer_note(IFR_RECORDING_NOTE_BEGIN, 0);
		depth[thread]++;
	}
}

/* --- system calls -------------------------------------------------------------------------------------------- */

static Bool exiting;

Bool system_calls_exiting(void) {
	return exiting;
}

static void note_call(UInt number, const UWord *arguments) {
	switch (number) {
	case __NR_fork:
	case __NR_vfork:
		writer_note(IFR_RECORDING_NOTE_FORK, 0);
		break;
	case __NR_clone:
		/* Valgrind implements vfork and posix_spawn (CLONE_VM until exec) by fork. */
		if (!(arguments[0] & VKI_CLONE_VM) || arguments[0] & VKI_CLONE_VFORK)
			writer_note(IFR_RECORDING_NOTE_FORK, 0);
		break;
	case __NR_execve:
	case __NR_execveat:
		writer_note(IFR_RECORDING_NOTE_EXEC, 0); /* no callback follows a success */
		break;
	case __NR_exit:
	case __NR_exit_group:
		exiting = True;
		break;
	case __NR_rt_sigreturn:
		writer_note(IFR_RECORDING_NOTE_SIGNAL, 0);
		break;
	case __NR_rt_sigaction:
		if (arguments[1] && system_calls_is_fault((Int)arguments[0]))
			instrument_for_fault_handlers();
		break;
	case __NR_getpid:
	case __NR_getppid:
	case __NR_gettid:
		writer_note(IFR_RECORDING_NOTE_IDENTITY, 0);
		break;
	default:
		break;
	}
}

Bool system_calls_is_fault(Int signal) {
	return signal == VKI_SIGILL || signal == VKI_SIGTRAP || signal == VKI_SIGBUS || signal == VKI_SIGFPE ||
	       signal == VKI_SIGSEGV;
}

/* A mapping that grows moves, as a rule: the kernel places mappings below one another, so that the one before stands in
 * the way. Valgrind places them one above the other, and whether there is room would depend on the layout. */
static Addr obstacle;

static void forbid_growth_in_place(const UWord *arguments) {
	const Addr end = (arguments[0] + arguments[1] + VKI_PAGE_SIZE - 1) & -(Addr)VKI_PAGE_SIZE;
	const Bool grows = arguments[2] > arguments[1], moves = arguments[3] & VKI_MREMAP_MAYMOVE,
			   fixed = arguments[3] & VKI_MREMAP_FIXED;
	if (grows && moves && !fixed && !VG_(am_find_nsegment)(end) &&
	    !sr_isError(VG_(am_mmap_anon_fixed_client)(end, VKI_PAGE_SIZE, VKI_PROT_NONE)))
		obstacle = end;
}

static void remove_obstacle(void) {
	Bool need_discard;
	if (obstacle)
		VG_(am_munmap_client)(&need_discard, obstacle, VKI_PAGE_SIZE);
	obstacle = 0;
}

void system_calls_before(ThreadId thread, UInt number, UWord *arguments, UInt count) {
	(void)count;
	if (number == IFR_RECORDER_REGION)
		apply_marker(thread - 1, arguments[0]);
	else if (number == IFR_RECORDER_ENTER)
		writer_record(RING_ENTER, NULL, 0);
	else if (number == IFR_RECORDER_LEAVE)
		writer_record(RING_LEAVE, &(struct writer_part){arguments, 6}, 1);
	else
		note_call(number, arguments);
	if (number == __NR_mremap)
		forbid_growth_in_place(arguments);
}

static void write_mapping(UInt number, UWord result, const UWord *arguments) {
	ULong numbers[8] = {number, result};
	HChar path[PATH_BYTES] = "";
	VG_(memcpy)(numbers + 2, arguments, 6 * sizeof *numbers);
	if (number == __NR_mmap && !(arguments[3] & VKI_MAP_ANONYMOUS))
		read_descriptor_path(arguments[4], path, sizeof path);
	system_calls_write_path(RING_SYSCALL, numbers, 8, path);
	writer_swap(); /* before blocks in the mapping are defined */
}

static void answer(ThreadId thread, UInt number, const UWord *arguments, UWord result) {
	switch (number) {
	case __NR_clock_gettime:
		answer_clock(arguments);
		break;
	case __NR_gettimeofday:
		answer_day(arguments);
		break;
	case __NR_getrusage:
		answer_usage(arguments);
		break;
	case __NR_time:
		answer_time(thread, arguments);
		break;
	case __NR_times:
		answer_times(thread, arguments);
		break;
	case __NR_getrandom:
		answer_random(arguments[0], result);
		break;
	case __NR_open:
	case __NR_openat:
	case CALL_OPENAT2:
	case __NR_dup:
	case __NR_dup2:
	case __NR_dup3:
		note_opened(result);
		break;
	case __NR_close:
		if (arguments[0] < DESCRIPTORS)
			is_random[arguments[0]] = False;
		break;
	case __NR_close_range:
		VG_(memset)(is_random, 0, sizeof is_random);
		break;
	case __NR_read:
		if (arguments[0] < DESCRIPTORS && is_random[arguments[0]])
			answer_random(arguments[1], result);
		break;
	case __NR_readlink:
		answer_link(arguments[0], arguments[1], result);
		break;
	case __NR_readlinkat:
		answer_link(arguments[1], arguments[2], result);
		break;
	default:
		break;
	}
}

void system_calls_after(ThreadId thread, UInt number, UWord *arguments, UInt count, SysRes result) {
	(void)count;
	remove_obstacle();
	if (sr_isError(result))
		return;
	switch (number) {
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mremap:
	case __NR_brk:
	case __NR_shmat:
		write_mapping(number, sr_Res(result), arguments);
		break;
	default:
		answer(thread, number, arguments, sr_Res(result));
		break;
	}
}

void system_calls_child(ThreadId thread) {
	(void)thread;
	writer_detach();
}
