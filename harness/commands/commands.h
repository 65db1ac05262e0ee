/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of interfero: one file a command, one table (harness/main.c). A command parses its own arguments
 * with argp, prints results on stdout and everything else on stderr, and returns the exit status (common/error.h).
 */
#ifndef IFR_HARNESS_COMMANDS_H
#define IFR_HARNESS_COMMANDS_H

#include <argp.h>

#include "common/buffer.h"
#include "common/error.h"

struct ifr_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "interfero NAME" */
	const char *summary;
	const struct argp *argp; /* the options, also for completions */
};

int ifr_command_bench(int argc, char **argv);
int ifr_command_audit(int argc, char **argv);
int ifr_command_cure(int argc, char **argv);
int ifr_command_optimize(int argc, char **argv);
int ifr_command_compare(int argc, char **argv);
int ifr_command_calibrate(int argc, char **argv);
int ifr_command_variants(int argc, char **argv);
int ifr_command_run(int argc, char **argv);
int ifr_command_layout(int argc, char **argv);
int ifr_command_align(int argc, char **argv);
int ifr_command_pin(int argc, char **argv);
int ifr_command_verify(int argc, char **argv);
int ifr_command_heap(int argc, char **argv);
int ifr_command_report(int argc, char **argv);
int ifr_command_blame(int argc, char **argv);
int ifr_command_record(int argc, char **argv);
int ifr_command_replay(int argc, char **argv);
int ifr_command_icost(int argc, char **argv);
int ifr_command_misses(int argc, char **argv);
int ifr_command_place(int argc, char **argv);
int ifr_command_predict(int argc, char **argv);
int ifr_command_trace(int argc, char **argv);
int ifr_command_pack(int argc, char **argv);
int ifr_command_merge(int argc, char **argv);
int ifr_command_piece(int argc, char **argv);
int ifr_command_import(int argc, char **argv);
int ifr_command_kit(int argc, char **argv);
int ifr_command_probe(int argc, char **argv);
int ifr_command_doctor(int argc, char **argv);
int ifr_command_limit(int argc, char **argv);
int ifr_command_explain(int argc, char **argv);

extern const struct argp ifr_bench_argp, ifr_audit_argp, ifr_cure_argp, ifr_optimize_argp, ifr_compare_argp,
	ifr_calibrate_argp, ifr_blame_argp, ifr_variants_argp, ifr_run_argp, ifr_layout_argp, ifr_align_argp,
	ifr_verify_argp, ifr_heap_argp, ifr_limit_argp, ifr_report_argp, ifr_explain_argp, ifr_record_argp,
	ifr_replay_argp, ifr_misses_argp, ifr_place_argp, ifr_icost_argp, ifr_trace_argp, ifr_predict_argp,
	ifr_import_argp, ifr_kit_argp, ifr_pin_argp, ifr_pack_argp, ifr_merge_argp, ifr_piece_argp, ifr_doctor_argp,
	ifr_probe_argp;

/* Prints "interfero: MESSAGE" on stderr and returns the exit status that belongs to it. */
int ifr_command_failed(const struct ifr_error *err);
/* Prints a text on standard output. Errors: IFR_E_ENVIRONMENT if it cannot be written whole. */
int ifr_command_print(const struct ifr_buffer *text, struct ifr_error *err);
/* Prints "interfero: SENTENCE" on stderr. */
void ifr_command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "interfero: TEXT" on stderr, as the `say` of a campaign. */
void ifr_command_say(const char *text);

#endif
