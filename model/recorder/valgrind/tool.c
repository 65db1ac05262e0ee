/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder as a tool of Valgrind: it records which blocks a program runs and which addresses it accesses, and answers
 * its clocks and random numbers so that runs are repeatable. It does as little as possible; the process at the other end
 * of the ring does the rest. Valgrind runs one thread at a time. */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#include "model/recorder/valgrind/instrument.h"
#include "model/recorder/valgrind/places.h"
#include "model/recorder/valgrind/process.h"
#include "model/recorder/valgrind/system_calls.h"
#include "model/recorder/valgrind/writer.h"

static Int ring_descriptor = -1;
static const HChar *first_argument;
static ThreadId running = 1;

/* Options: --ring=FD; --all=yes, derive nothing; --watch=REGION; --own-path=PATH, answered for /proc/self/exe;
 * --argument=NAME, the program's argv[0]. */
static Bool read_option(const HChar *option) {
	const HChar *text = NULL;
	Bool all = False;
	if (VG_INT_CLO(option, "--ring", ring_descriptor))
		return True;
	if (VG_BOOL_CLO(option, "--all", all)) {
		if (all)
			instrument_everything();
		return True;
	}
	if (VG_STR_CLO(option, "--watch", text))
		system_calls_watch(text);
	else if (VG_STR_CLO(option, "--own-path", text))
		system_calls_own_path(text);
	else if (VG_STR_CLO(option, "--argument", text))
		first_argument = text;
	else
		return False;
	return True;
}

static void print_nothing(void) {
}

/* The first block is translated before Valgrind says that it runs. */
static IRSB *translate(VgCallbackClosure *closure, IRSB *code, const VexGuestLayout *layout,
                       const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                       IRType host_word) {
	static Bool started;
	(void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
	if (!started)
		process_start(closure->tid, first_argument);
	started = True;
	if (code->jumpkind == Ijk_NoDecode && code->next->tag == Iex_Const)
		place_print_unknown_instruction(code->next->Iex.Const.con->Ico.U64);
	return instrument_superblock(code, closure->nraddr);
}

static void run_thread(ThreadId thread, ULong blocks) {
	(void)blocks;
	if (thread > RING_THREADS) {
		VG_(umsg)("interfero: the program starts more than %d threads, which cannot be recorded\n", RING_THREADS);
		VG_(exit)(1);
	}
	running = thread;
	writer_run_thread(thread - 1);
}

static void note_thread(ThreadId parent, ThreadId thread) {
	(void)parent;
	if (thread > 1)
		writer_note(IFR_RECORDING_NOTE_THREAD, thread - 1);
}

static void before_signal(ThreadId thread, Int signal, Bool alternative_stack) {
	(void)alternative_stack;
	if (system_calls_is_fault(signal))
		instrument_complete_fault(VG_(get_IP)(thread));
}

static void after_options(void) {
	if (ring_descriptor < 0 || !writer_open(ring_descriptor)) {
		VG_(umsg)("interfero: the recorder was started by something else than \"interfero record\"\n");
		VG_(exit)(1);
	}
	VG_(atfork)(NULL, NULL, system_calls_child);
}

/* A signal that no handler takes ends the program in the middle of a block. */
static void end(Int status) {
	(void)status;
	if (!system_calls_exiting())
		instrument_complete_fault(VG_(get_IP)(running));
	writer_end();
}

static void before_options(void) {
	VG_(details_name)("interfero");
	VG_(details_version)(NULL);
	VG_(details_description)("records a program's blocks and accesses");
	VG_(details_copyright_author)("GPL-3.0-or-later");
	VG_(details_bug_reports_to)("the authors of interfero");
	VG_(details_avg_translation_sizeB)(500);
	VG_(basic_tool_funcs)(after_options, translate, end);
	VG_(needs_command_line_options)(read_option, print_nothing, print_nothing);
	VG_(needs_syscall_wrapper)(system_calls_before, system_calls_after);
	VG_(track_start_client_code)(run_thread);
	VG_(track_pre_thread_ll_create)(note_thread);
	VG_(track_pre_deliver_signal)(before_signal);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
