/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of the core, for the clock alone: the model is told of no accesses. */
#include "harness/probe/kernels.h"

enum { ROOM = 8192, LINE = 64, LOOP_TAIL = 9 /* dec rdi; jnz, long */ };

/* mov ecx, 1; xor edx, edx; mov rax, rsi; cvtsi2sd xmm0, rcx; movaps xmm1, xmm0 */
static const uint8_t set_registers[] = {0xb9, 1,    0,    0,    0,    0x31, 0xd2, 0x48, 0x89,
                                        0xf0, 0xf2, 0x48, 0x0f, 0x2a, 0xc1, 0x0f, 0x28, 0xc8};
static const uint8_t count_down[] = {0x48, 0xff, 0xcf}; /* dec rdi */
static const uint8_t go_back = 0xc3;                    /* ret */

static void put_loop_end(struct probe_kernel *kernel, uint64_t start, uint64_t at, size_t instructions) {
	probe_put(kernel, at, count_down, sizeof count_down);
	probe_put_jump(kernel, at + LOOP_TAIL - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, at + LOOP_TAIL, &go_back, 1);
	probe_execute(kernel,
	              probe_add_block(kernel, start, at + LOOP_TAIL - 1, (unsigned)instructions + 2,
	                              IFR_BRANCH_CONDITIONAL, 6, true),
	              true);
}

void probe_repeat(struct probe_kernel *kernel, const struct probe_sequence *sequence, size_t count) {
	const uint64_t start = kernel->code + ROOM;
	kernel->entry = start - sizeof set_registers;
	probe_put(kernel, kernel->entry, set_registers, sizeof set_registers);
	for (size_t i = 0; i < count; i++)
		probe_put(kernel, start + i * sequence->length, sequence->bytes, sequence->length);
	put_loop_end(kernel, start, start + count * sequence->length, count * sequence->instructions);
	kernel->start = kernel->end = kernel->data;
	for (unsigned i = 0; i < LINE; i += 8)
		probe_set_word(kernel, kernel->data + i, kernel->data);
	kernel->rounds = 1;
	kernel->elements = count;
}

/* xor eax, eax with prefixes of no effect. */
void probe_zeroed(struct probe_kernel *kernel, size_t windows, unsigned count) {
	static const uint8_t longest[] = {0x2e, 0x2e, 0x2e, 0x2e, 0x31, 0xc0};
	const uint64_t start = kernel->code + ROOM;
	uint64_t at = kernel->entry = start;
	for (size_t window = 0; window < windows; window++)
		for (unsigned i = 0; i < count; i++) {
			const unsigned length = LINE * (i + 1) / count - LINE * i / count;
			probe_put(kernel, at, longest + sizeof longest - length, length);
			at += length;
		}
	put_loop_end(kernel, start, at, 1);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = windows * count;
}

void probe_two_misses(struct probe_kernel *kernel, const struct probe_sequence *between, size_t count,
                      uint64_t data) {
	enum { DATA = 16384 };
	static const uint8_t first[] = {0x48, 0x8b, 0x06};                    /* mov rax, [rsi] */
	static const uint8_t second[] = {0x48, 0x8b, 0x8e, 0x80, 0x20, 0, 0}; /* mov rcx, [rsi + 0x2080] */
	static const uint8_t flush[] = {0x0f, 0xae, 0x3e,                     /* clflush [rsi] */
	                                0x0f, 0xae, 0xbe, 0x80, 0x20, 0, 0,   /* clflush [rsi + 0x2080] */
	                                0x0f, 0xae, 0xf0};                    /* mfence */
	const unsigned each = between->length / between->instructions;
	const uint64_t start = kernel->code + ROOM;
	uint64_t at = start;
	kernel->entry = start;
	probe_put(kernel, at, first, sizeof first);
	at += sizeof first;
	for (size_t i = 0; i < count; i++, at += each)
		probe_put(kernel, at, between->bytes + i % between->instructions * each, each);
	probe_put(kernel, at, second, sizeof second);
	at += sizeof second;
	probe_put(kernel, at, flush, sizeof flush);
	put_loop_end(kernel, start, at + sizeof flush, count + 5);
	kernel->start = kernel->end = data ? data : kernel->data;
	for (unsigned i = 0; !data && i < DATA; i += 8)
		probe_set_word(kernel, kernel->data + i, 0);
	kernel->rounds = kernel->elements = 1;
}
