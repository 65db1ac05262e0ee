/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes are decoded to well-formed operations on a core, which the last byte chooses; instructions cover all
 * bytes. */
#include <assert.h>
#include <string.h>

#include "model/core/operation.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

enum { CORES = 16, BYTES = 512 };

static struct ifr_decoder *decoders[CORES];
static unsigned decoder_count;

static void open_decoders(void) {
	struct ifr_buffer names = {0};
	ifr_decoder_print_names(&names);
	char *rest = names.data;
	for (const char *name; (name = strsep(&rest, " ")) && decoder_count < CORES;)
		assert(!ifr_decoder_new(name, &decoders[decoder_count++], NULL));
	ifr_buffer_release(&names);
}

static void check_operation(const struct ifr_decoder *decoder, const struct ifr_operation *operation) {
	assert(operation->kind <= IFR_OPERATION_NOP && operation->occupancy && operation->unit < IFR_UNITS);
	for (unsigned i = 0; i < 4; i++)
		assert(operation->sources[i] < IFR_REGISTERS);
	for (unsigned i = 0; i < 3; i++)
		assert(operation->destinations[i] < IFR_REGISTERS);
	for (unsigned port = 0; port < 16; port++)
		assert(!(operation->ports >> port & 1) || ifr_decoder_port(decoder, port));
}

static void check_instruction(const struct ifr_decoder *decoder, const struct ifr_operations *all,
                              const struct ifr_operations_of *instruction) {
	const struct ifr_trace_access accesses[] = {
		{.end = (uint16_t)(instruction->offset + instruction->length), .bytes = 8},
		{.end = (uint16_t)(instruction->offset + instruction->length), .bytes = 8, .kind = IFR_ACCESS_STORE}};
	int32_t first[256];
	uint16_t pieces[256];
	assert(instruction->count && instruction->decoded && instruction->decoded <= instruction->issued);
	assert(instruction->issued <= instruction->count);
	assert(instruction->first + instruction->count <= all->operations_count);
	for (unsigned i = 0; i < instruction->count; i++)
		check_operation(decoder, &all->operations[instruction->first + i]);
	ifr_operations_bind(all, instruction, accesses, 2, first, pieces);
	for (unsigned i = 0; i < instruction->count; i++)
		assert(first[i] >= -1 && first[i] + pieces[i] <= 2);
}

static void check_code(const struct ifr_decoder *decoder, const unsigned char *data, size_t size) {
	struct ifr_operations all = {0};
	size_t covered = 0;
	const size_t count = ifr_decoder_decode(decoder, data, size, SIZE_MAX, &all);
	assert(count == all.instructions_count);
	for (size_t i = 0; i < count; i++) {
		assert(all.instructions[i].offset == covered);
		covered += all.instructions[i].length;
		check_instruction(decoder, &all, &all.instructions[i]);
	}
	assert(covered == size || (count && all.instructions[count - 1].length == UINT8_MAX));
	ifr_operations_release(&all);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	if (!decoder_count)
		open_decoders();
	if (size > BYTES)
		size = BYTES;
	if (size)
		check_code(decoders[data[size - 1] % decoder_count], data, size);
	return 0;
}
