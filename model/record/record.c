/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/record.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/children.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/process.h"
#include "model/record/assembler.h"
#include "model/record/bounds.h"
#include "model/record/qemu.h"
#include "model/record/valgrind.h"
#include "model/trace/limit.h"

struct session {
	const struct ifr_recording *recording;
	struct ring *ring;
	int ring_fd, stdin_fd;
	int log_fd; /* the recorder's own messages */
	enum ifr_recorder recorder;
	pid_t child;
	struct ifr_children known; /* children before the recorder */
	unsigned left;             /* processes that the program left running, which were ended */
	uint32_t taken;            /* chunks taken from the ring */
	bool ended;
	enum ifr_recording_end end;
	int status;
	struct assembler *assembler;
	struct ifr_trace_writer *writer;
	struct bounds bounds;
	int64_t shown_ns; /* when progress was shown last */
	struct ifr_error err;
};

/* --- the program --------------------------------------------------------------------------------------------- */

static int check_program(const char *program, struct ifr_error *err) {
	unsigned char head[20] = {0};
	struct stat status = {0};
	while (program[0] == '/' && program[1] == '/')
		program++; /* paths are made equally long by slashes */
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 || fstat(fd, &status) ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return ifr_fail_errno(err, IFR_E_USAGE, "cannot read the program %s", program);
	if (head[0] == '#' && head[1] == '!')
		return ifr_fail(err, IFR_E_USAGE,
		                "%s is a script: record its interpreter, as in \"interfero record -- /bin/sh %s\"",
		                program, program);
	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return ifr_fail(err, IFR_E_USAGE, "%s is no program: it has no ELF header", program);
	if (head[EI_CLASS] != ELFCLASS64 || head[18] != EM_X86_64)
		return ifr_fail(err, IFR_E_USAGE, "%s is no 64-bit program for x86-64, and only these can be recorded",
		                program);
	if (status.st_mode & (S_ISUID | S_ISGID))
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s is setuid or setgid, and a recorder cannot give it those rights: record a copy without them "
			"(cp %s .)",
			program, program);
	return 0;
}

int ifr_record_check(const char *program, enum ifr_recorder recorder, const char *tool, struct ifr_error *err) {
	struct ifr_recorder_choice choice = {0};
	int result = check_program(program, err);
	if (!result)
		result = ifr_recorder_choose(recorder, tool, &choice, err);
	free(choice.file);
	return result;
}

/* Runs in the child. A fixed process context (no address-space randomization, one processor) makes runs
 * repeatable. */
static _Noreturn void exec_recorder(const struct session *session, const char *file, char *const *argv,
                                    char *const *environment) {
	const struct ifr_recording *recording = session->recording;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	personality(ADDR_NO_RANDOMIZE);
	if (recording->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET((size_t)recording->cpu, &set);
		sched_setaffinity(0, sizeof set, &set);
	}
	if (dup2(session->stdin_fd, 0) < 0 || dup2(recording->output_fd, 1) < 0 || dup2(recording->errors_fd, 2) < 0)
		_exit(127);
	execve(file, argv, environment);
	_exit(127);
}

static int start_recorder(struct session *session, struct ifr_error *err) {
	const struct ifr_recording *recording = session->recording;
	struct ifr_strings arguments = {0}, environment = {0};
	struct ifr_recorder_choice choice;
	int result = ifr_recorder_choose(recording->recorder, recording->tool, &choice, err);
	if (result)
		return result;
	session->recorder = choice.recorder;
	if (choice.recorder == IFR_RECORDER_VALGRIND)
		valgrind_command(recording, session->ring_fd, session->log_fd, &arguments, &environment);
	else
		qemu_command(recording, session->ring_fd, &arguments, &environment);
	char **argv = null_terminated(&arguments), **variables = null_terminated(&environment);
	ifr_children_adopt(&session->known);
	session->child = fork();
	if (!session->child)
		exec_recorder(session, choice.file, argv, variables);
	if (session->child < 0)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot start %s", choice.file);
	free(argv);
	free(variables);
	free(choice.file);
	ifr_strings_release(&arguments);
	ifr_strings_release(&environment);
	return result;
}

/* --- chunks -------------------------------------------------------------------------------------------------- */

static int read_chunk(struct session *session, uint32_t chunk) {
	if (chunk >= RING_CHUNKS || session->ring->chunks[chunk].words > RING_CHUNK_WORDS)
		return ifr_fail(&session->err, IFR_E_PROGRAM, "the program overwrote the memory of its recording");
	return assembler_read_chunk(session->assembler, session->ring->chunks[chunk].thread,
	                            session->ring->words[chunk], session->ring->chunks[chunk].words, &session->err);
}

static int read_filled(struct session *session) {
	struct ring *ring = session->ring;
	int result = 0;
	while (!result && session->taken != atomic_load_explicit(&ring->filled, memory_order_acquire)) {
		uint32_t chunk = ring->filled_chunks[session->taken++ % RING_CHUNKS];
		result = read_chunk(session, chunk);
		ring->freed_chunks[ring->freed % RING_CHUNKS] = chunk;
		atomic_fetch_add_explicit(&ring->freed, 1, memory_order_release);
		syscall(SYS_futex, &ring->freed, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return result;
}

/* Whether a recorder was killed right after it had handed a chunk over. */
static bool was_handed_over(const struct ring *ring, uint32_t chunk) {
	const uint32_t turn = ring->chunks[chunk].turn;
	return turn && (int32_t)(ring->filled - turn) >= 0;
}

/* Reads the chunks that were still being filled when the program was killed or replaced itself by exec. */
static int read_rest(struct session *session) {
	struct ring *ring = session->ring;
	int result = 0;
	for (unsigned i = 0; i <= RING_THREADS && !ring->ended && !result; i++) {
		unsigned thread = i ? i - 1 : RING_THREADS; /* definitions first */
		const struct ring_cpu *cpu = &ring->cpus[thread];
		if (!cpu->next || cpu->chunk >= RING_CHUNKS || was_handed_over(ring, cpu->chunk))
			continue;
		thread = ring->chunks[cpu->chunk].thread; /* Valgrind's recorder has one chunk for all threads */
		uint64_t words = (uint64_t)(cpu->next - (ring->base + (size_t)cpu->chunk * RING_CHUNK_WORDS));
		ring->chunks[cpu->chunk] =
			(struct ring_chunk){.thread = thread, .words = words > RING_CHUNK_WORDS ? 0 : (uint32_t)words};
		result = read_chunk(session, cpu->chunk);
	}
	return result;
}

/* Says why a program was ended. */
static void explain_end(struct session *session, uint64_t instructions) {
	const char *adaptive =
		bounds_grow(&session->bounds, instructions)
			? "; its clock readings lie farther and farther apart: it seems to choose its number of "
			  "iterations by the clock, so fix that number"
			: "";
	if (session->end == IFR_RECORDING_TIME)
		ifr_fail(&session->err, IFR_E_PROGRAM,
		         "the program did not end in its time; give it more, or record a part (--to)%s", adaptive);
	else if (session->end == IFR_RECORDING_ADAPTIVE)
		ifr_fail(
			&session->err, IFR_E_PROGRAM,
			"the program chooses its number of iterations by the clock, which does not advance as fast while it is "
			"recorded, and would never end: a plain run takes %.2f s of processor time, and %.1f thousand million "
			"instructions were executed here; " IFR_FIXED_ITERATIONS,
			(double)session->bounds.plain_ns / 1e9, (double)instructions / 1e9);
}

static void show_progress(struct session *session, int64_t now_ns, uint64_t instructions) {
	enum { EVERY_NS = 200000000 };
	const struct ifr_recording *recording = session->recording;
	if (!recording->progress || now_ns - session->shown_ns < EVERY_NS)
		return;
	session->shown_ns = now_ns;
	recording->progress(&(struct ifr_recording_progress){
		instructions, ifr_trace_bytes(session->writer), now_ns - session->bounds.begun_ns,
		bounds_left_ns(&session->bounds, now_ns, instructions, recording->to)});
}

/* Ends the recording at a bound: of time, of the trace's size, or where the disk is full. */
static int check_bounds(struct session *session) {
	const struct ifr_recording *recording = session->recording;
	const int64_t now_ns = ifr_clock_ns();
	const uint64_t instructions = assembler_instructions(session->assembler);
	if (recording->stopped && recording->stopped())
		return ifr_fail(&session->err, IFR_E_ENVIRONMENT, "interrupted; no trace was written");
	/* ifr_trace_close says why. */
	if (ifr_trace_failed(session->writer))
		return -IFR_E_ENVIRONMENT;
	session->end = bounds_check(&session->bounds, now_ns, instructions);
	if (recording->to && instructions >= recording->to)
		session->end = IFR_RECORDING_CUT;
	explain_end(session, instructions);
	show_progress(session, now_ns, instructions);
	return session->err.code ? -session->err.code : 0;
}

/* Reads chunks until the program has ended and the ring is empty, or until its time is up. */
static int drain_ring(struct session *session) {
	struct timespec moment = {.tv_nsec = 20000000};
	int status = 0, result = 0;
	while (!session->ended && session->end != IFR_RECORDING_CUT && !result) {
		session->ended = waitpid(session->child, &status, WNOHANG) == session->child;
		result = read_filled(session);
		if (!session->ended && !result)
			syscall(SYS_futex, &session->ring->filled, FUTEX_WAIT, session->taken, &moment, NULL, 0);
		if (!session->ended && !result)
			result = check_bounds(session);
	}
	const bool cut = session->end == IFR_RECORDING_CUT;
	if (!result && !cut)
		result = read_rest(session);
	if (!session->ended) {
		kill(session->child, SIGKILL);
		waitpid(session->child, &status, 0);
	}
	const unsigned left = ifr_children_end(&session->known);
	session->left = session->ended ? left : 0;
	if (!cut)
		session->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	assembler_finish(session->assembler);
	return result;
}

static int open_stdin(struct session *session, struct ifr_error *err) {
	const char *file = session->recording->stdin_file ? session->recording->stdin_file : "/dev/null";
	session->stdin_fd = open(file, O_RDONLY | O_CLOEXEC);
	return session->stdin_fd < 0
	           ? ifr_fail_errno(err, IFR_E_USAGE, "cannot read %s, the program's standard input", file)
	           : 0;
}

/* --- one recording ------------------------------------------------------------------------------------------- */

static int open_ring(struct session *session, struct ifr_error *err) {
	session->ring_fd = memfd_create("recording", 0);
	session->log_fd = memfd_create("messages", 0);
	if (session->log_fd < 0 || session->ring_fd < 0 || ftruncate(session->ring_fd, sizeof *session->ring))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make memory to share with the recorder");
	session->ring = mmap(NULL, sizeof *session->ring, PROT_READ | PROT_WRITE, MAP_SHARED, session->ring_fd, 0);
	if (session->ring == MAP_FAILED)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make memory to share with the recorder");
	return 0;
}

static int fail_to_start(struct session *session) {
	const int status = session->status, signal = status > 128 ? status - 128 : 0;
	char *message = valgrind_first_message(session->log_fd);
	if (!*message) { /* qemu, and Valgrind before it has a log, write where the program does */
		free(message);
		message = valgrind_first_message(session->recording->errors_fd);
	}
	char *end = signal ? ifr_format("it died at its start by signal %d (%s)", signal, strsignal(signal))
	                   : ifr_format("exit status %d", status);
	ifr_fail(&session->err, IFR_E_ENVIRONMENT, "the recorder did not run the program: %s%s%s", end,
	         *message ? ": " : " and no message", message);
	free(end);
	free(message);
	return -IFR_E_ENVIRONMENT;
}

static int record_into(struct session *session, struct ifr_trace_writer *writer, struct ifr_recorded *recorded) {
	const struct ifr_recording *recording = session->recording;
	char *real = realpath(recording->program, NULL);
	struct address_space *space = address_space_new(writer, real ? real : recording->program, recording->name);
	session->assembler = assembler_new(
		writer, space,
		&(struct assembler_window){recording->from, recording->to, recording->region != NULL, recording->every},
		&session->bounds);
	int result = start_recorder(session, &session->err);
	if (!result)
		result = drain_ring(session);
	if (!result && session->recorder == IFR_RECORDER_VALGRIND)
		result = valgrind_judge(session->log_fd, &session->err);
	recorded->exit_status = session->status;
	recorded->left = session->left;
	recorded->killed = !session->ring->ended && session->status > 128;
	recorded->instructions = assembler_instructions(session->assembler);
	recorded->cuts = assembler_cuts(session->assembler);
	memcpy(recorded->notes, assembler_notes(session->assembler), sizeof recorded->notes);
	if (!result && !recorded->instructions)
		result = fail_to_start(session);
	if (!result && recorded->instructions <= recording->from)
		result = ifr_fail(&session->err, IFR_E_USAGE,
		                  "the program ended after %llu instructions, before the first that was to be recorded",
		                  (unsigned long long)recorded->instructions);
	assembler_free(session->assembler);
	address_space_free(space);
	free(real);
	return result;
}

int ifr_record(const struct ifr_recording *recording, struct ifr_recorded *recorded, struct ifr_error *err) {
	struct session session = {
		.recording = recording, .ring_fd = -1, .stdin_fd = -1, .log_fd = -1, .ring = MAP_FAILED};
	struct ifr_trace_writer *writer = NULL;
	*recorded = (struct ifr_recorded){0};
	bounds_init(&session.bounds, ifr_clock_ns(), recording->timeout_ns, recording->plain_ns);
	int result = check_program(recording->program, err);
	if (!result)
		result = open_stdin(&session, err);
	if (!result)
		result = open_ring(&session, err);
	if (!result)
		result = ifr_trace_create(recording->path, recording->text ? recording->text : "", &writer, err);
	if (!result) {
		struct ifr_buffer lines = {0};
		session.writer = writer;
		ifr_trace_limit(writer, recording->most_bytes);
		int failed = record_into(&session, writer, recorded);
		ifr_recorded_print_notes(recorded, &lines);
		if (lines.length)
			ifr_trace_add_text(writer, lines.data);
		ifr_buffer_release(&lines);
		result = ifr_trace_close(writer, failed, &recorded->totals, err);
		recorded->end = session.end;
		if (!result && recording->every && !recorded->totals.instructions) {
			unlink(recording->path);
			result =
				ifr_fail(err, IFR_E_USAGE,
			             "the program ended after %llu instructions, before the first sample: record all of it, "
			             "without --every",
			             (unsigned long long)recorded->instructions);
		}
		if (failed && session.err.code)
			result = ifr_fail(err, session.err.code, "%s", session.err.message);
	}
	ifr_children_release(&session.known);
	if (session.ring != MAP_FAILED)
		munmap(session.ring, sizeof *session.ring);
	if (session.ring_fd >= 0)
		close(session.ring_fd);
	if (session.log_fd >= 0)
		close(session.log_fd);
	if (session.stdin_fd >= 0)
		close(session.stdin_fd);
	return result;
}

static const char *const note_texts[IFR_RECORDING_NOTES] = {
	[IFR_RECORDING_NOTE_TSC] =
		"the program reads the processor's time-stamp counter, which differs from run to run",
	[IFR_RECORDING_NOTE_FORK] = "the program starts child processes: they ran, and are not recorded",
	[IFR_RECORDING_NOTE_EXEC] = "the program replaced itself by another (exec): what came after is not recorded",
	[IFR_RECORDING_NOTE_TIME] =
		"the program reads a clock, which the recorder answered: a millisecond later each time",
	[IFR_RECORDING_NOTE_RANDOM] =
		"the program asks for random bytes, which the recorder answered: the same in each run",
	[IFR_RECORDING_NOTE_IDENTITY] =
		"the program asks for its process or thread number, which differs from run to run",
	[IFR_RECORDING_NOTE_SIGNAL] =
		"signal handlers ran: when a signal comes from outside, or from a timer, differs from run to run",
	[IFR_RECORDING_NOTE_PREFETCH] =
		"qemu's recorder left out software prefetches of values that a block computes (--all-accesses records them)",
	[IFR_RECORDING_NOTE_THREAD] =
		"the program has several threads, replayed in the order in which they were recorded",
};

void ifr_recorded_print_notes(const struct ifr_recorded *recorded, struct ifr_buffer *text) {
	ifr_buffer_clear(text);
	for (int i = 0; i < IFR_RECORDING_NOTES; i++)
		if (recorded->notes[i] && note_texts[i])
			ifr_buffer_printf(text, "note %s\n", note_texts[i]);
	if (recorded->killed)
		ifr_buffer_printf(text, "note the program was killed (signal %d): the trace ends there\n",
		                  recorded->exit_status - 128);
	if (recorded->left)
		ifr_buffer_puts(text, "note the program leaves processes running when it ends, such as daemons: they were "
		                      "ended with the recording\n");
	if (recorded->cuts)
		ifr_buffer_printf(text, "note %llu blocks were cut short by faults\n", (unsigned long long)recorded->cuts);
}
