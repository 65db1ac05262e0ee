/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace is read back as written, in whole or up to the damage: truncated anywhere, with any bit flipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "common/random.h"
#include "model/model.h"
#include "model/trace/coding.h"
#include "tests/unit/depth.h"
#include "tests/unit/folder.h"

enum { BLOCKS = 40, REGIONS = 6, ACCESSES_MOST = 7, CODE_MOST = 80 };

/* The trace as written, in order. */
struct story {
	uint64_t seed, draws, moments;
	struct ifr_mapping regions[REGIONS];
	struct ifr_trace_block blocks[BLOCKS];
	struct ifr_trace_access accesses[BLOCKS][ACCESSES_MOST];
	uint8_t code[BLOCKS][CODE_MOST];
	size_t region_count, block_count;
	uint32_t *steps;
	uint64_t *places, *plain; /* of all accesses; without prefetches */
	size_t step_count, place_count, plain_count;
	struct ifr_trace_totals totals;
};

static uint64_t below_of(struct story *story, uint64_t n) {
	return ifr_random_below(ifr_siphash(story->seed, story->draws++, "story", 5), n);
}

static uint64_t any_place(struct story *story) {
	uint64_t region = below_of(story, story->region_count + 1);
	uint64_t offset = below_of(story, 4) ? below_of(story, 5000) : below_of(story, IFR_OFFSET_MASK);
	return region ? (region - 1 + IFR_MAPPING_FIRST) << IFR_MAPPING_SHIFT | offset : offset;
}

static void add_region(struct story *story, struct ifr_trace_writer *writer) {
	static char paths[][16] = {"", "/usr/bin/prog", "a b", "12345678"};
	struct ifr_mapping *region = &story->regions[story->region_count];
	*region = (struct ifr_mapping){.kind = (enum ifr_mapping_kind)below_of(story, IFR_MAPPING_KINDS),
	                               .path = paths[below_of(story, 4)],
	                               .start = below_of(story, 1 << 20),
	                               .bytes = below_of(story, 1 << 30),
	                               .fixed = below_of(story, 2),
	                               .opened = story->region_count > 1 ? ++story->moments : 0,
	                               .closed = UINT64_MAX};
	assert_int_equal(ifr_trace_add_mapping(writer, region), story->region_count++ + IFR_MAPPING_FIRST);
	if (story->region_count == 2)
		ifr_trace_start_program(writer);
}

static void add_block(struct story *story, struct ifr_trace_writer *writer) {
	size_t id = story->block_count++;
	struct ifr_trace_block *block = &story->blocks[id];
	*block = (struct ifr_trace_block){.normalised = any_place(story),
	                                  .target = any_place(story),
	                                  .bytes = (uint16_t)(16 + below_of(story, 60)),
	                                  .instructions = (uint16_t)(1 + below_of(story, 9)),
	                                  .branch_bytes = (uint8_t)(1 + below_of(story, 15)),
	                                  .branch = (uint8_t)below_of(story, IFR_BRANCH_RETURN + 1),
	                                  .accesses = (uint16_t)below_of(story, ACCESSES_MOST + 1)};
	block->end = (uint8_t)(block->branch ? IFR_END_BRANCH : 1 + below_of(story, IFR_BLOCK_ENDS - 1));
	for (unsigned i = 0; i < block->bytes; i++)
		story->code[id][i] = (uint8_t)below_of(story, 256);
	for (unsigned i = 0; i < block->accesses; i++) {
		struct ifr_trace_access *access = &story->accesses[id][i];
		*access = (struct ifr_trace_access){.offset = (int64_t)below_of(story, 200) - 100,
		                                    .anchor = (int32_t)below_of(story, i + 2U) - 2,
		                                    .end = (uint16_t)below_of(story, block->bytes + 1U),
		                                    .bytes = (uint8_t)(1U << below_of(story, 7)),
		                                    .kind = (uint8_t)below_of(story, IFR_ACCESS_KINDS)};
		if (access->kind == IFR_ACCESS_PREFETCH ||
		    (access->anchor >= 0 && story->accesses[id][access->anchor].kind == IFR_ACCESS_PREFETCH))
			access->anchor = IFR_ACCESS_RECORDED;
	}
	assert_int_equal(ifr_trace_add_block(writer, block, story->accesses[id], story->code[id]), id);
}

static void write_break(struct story *story, struct ifr_trace_writer *writer) {
	ifr_trace_add_break(writer);
	story->steps[story->step_count++] = IFR_EXECUTION_BREAK;
	story->totals.executions++;
}

/* Blocks at random; in every other story, round after round of a loop of 45, from which one in sixty departs. */
static uint32_t next_block(struct story *story, bool *taken) {
	const uint64_t place = story->step_count % 45;
	const bool departs = !(story->seed & 1) || !below_of(story, 60);
	*taken = departs ? below_of(story, 2) : place & 1;
	if (!departs)
		return (uint32_t)(place * place % story->block_count);
	return (uint32_t)below_of(story, below_of(story, 3) ? 3 : story->block_count) % (uint32_t)story->block_count;
}

/* Some blocks have strides, some random addresses. Derived accesses are computed here, from their definition. */
static void write_run(struct story *story, struct ifr_trace_writer *writer) {
	bool taken;
	const uint32_t id = next_block(story, &taken);
	const struct ifr_trace_block *block = &story->blocks[id];
	uint64_t recorded[ACCESSES_MOST], *places = story->places + story->place_count, count = 0;
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &story->accesses[id][i];
		if (access->anchor == IFR_ACCESS_RECORDED)
			places[i] = recorded[count++] =
				id & 1 ? any_place(story) : block->normalised + story->totals.executions * (id + 1);
		else if (access->anchor == IFR_ACCESS_ABSOLUTE)
			places[i] = block->normalised + (uint64_t)access->offset;
		else
			places[i] = places[access->anchor] + (uint64_t)access->offset;
	}
	for (unsigned i = 0; i < block->accesses; i++)
		if (story->accesses[id][i].kind != IFR_ACCESS_PREFETCH)
			story->plain[story->plain_count++] = places[i];
	ifr_trace_add_execution(writer, id, taken, recorded);
	story->steps[story->step_count++] = id << 1 | taken;
	story->place_count += block->accesses;
	story->totals.executions++;
	story->totals.instructions += block->instructions;
	story->totals.accesses += block->accesses;
	story->totals.recorded += count;
}

static void tell(struct story *story, uint64_t seed, size_t steps, const char *path) {
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	*story = (struct story){.seed = seed};
	story->steps = ifr_alloc((steps + 1) * sizeof *story->steps);
	story->places = ifr_alloc((steps + 1) * ACCESSES_MOST * sizeof *story->places);
	story->plain = ifr_alloc((steps + 1) * ACCESSES_MOST * sizeof *story->plain);
	assert_int_equal(ifr_trace_create(path, "program /usr/bin/prog\nargument a\n", &writer, NULL), 0);
	add_region(story, writer);
	add_block(story, writer);
	for (size_t i = 0; i < steps; i++) {
		if (story->region_count < REGIONS && !below_of(story, steps / 8 + 1))
			add_region(story, writer);
		if (story->block_count < BLOCKS && !below_of(story, steps / 60 + 1))
			add_block(story, writer);
		if (below_of(story, 50))
			write_run(story, writer);
		else
			write_break(story, writer);
	}
	ifr_trace_add_text(writer, "note the end\n");
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_memory_equal(&totals, &story->totals, sizeof totals);
}

static void forget(struct story *story) {
	free(story->steps);
	free(story->places);
	free(story->plain);
}

/* Compares the trace, from its begin, with a story's executions and addresses, in chunks of so many executions. Returns
 * the number of executions. */
static size_t compare_runs(const struct story *story, struct ifr_trace *trace, size_t piece_steps,
                           const uint64_t *wanted, size_t wanted_count) {
	struct ifr_trace_chunk piece;
	size_t steps = 0, places = 0;
	for (;;) {
		ifr_trace_read_chunk(trace, piece_steps, &piece);
		if (!piece.executions_count)
			return steps;
		assert_true(piece.executions_count <= piece_steps && steps + piece.executions_count <= story->step_count);
		assert_true(places + piece.accesses_count <= wanted_count);
		assert_memory_equal(piece.executions, story->steps + steps,
		                    piece.executions_count * sizeof *piece.executions);
		if (piece.accesses_count)
			assert_memory_equal(piece.normalised, wanted + places,
			                    piece.accesses_count * sizeof *piece.normalised);
		steps += piece.executions_count;
		places += piece.accesses_count;
	}
}

/* Reads the trace as replays do, without prefetches. */
static size_t read_runs(const struct story *story, struct ifr_trace *trace, size_t piece_steps) {
	return compare_runs(story, trace, piece_steps, story->plain, story->plain_count);
}

static void check_regions(const struct story *story, const struct ifr_trace *trace) {
	const struct ifr_mapping *regions;
	assert_int_equal(ifr_trace_mappings(trace, &regions), story->region_count + IFR_MAPPING_FIRST);
	for (size_t i = 0; i < story->region_count; i++) {
		const struct ifr_mapping *got = &regions[i + IFR_MAPPING_FIRST], *wanted = &story->regions[i];
		assert_int_equal(got->kind, wanted->kind);
		assert_string_equal(got->path, wanted->path);
		assert_int_equal(got->start, wanted->start);
		assert_int_equal(got->bytes, wanted->bytes);
		assert_int_equal(got->fixed, wanted->fixed);
		assert_int_equal(got->opened, wanted->opened);
		assert_true(got->closed == wanted->closed);
	}
}

static void check_accesses(const struct story *story, size_t id, const struct ifr_trace_block *block,
                           const struct ifr_trace_access *got, bool prefetches) {
	unsigned left_out = 0, numbers[ACCESSES_MOST];
	for (unsigned j = 0; j < story->blocks[id].accesses; j++) {
		const struct ifr_trace_access *was = &story->accesses[id][j];
		numbers[j] = j - left_out;
		if (was->kind == IFR_ACCESS_PREFETCH && !prefetches) {
			left_out++;
			continue;
		}
		assert_true(got->offset == was->offset && got->end == was->end && got->bytes == was->bytes &&
		            got->kind == was->kind);
		assert_int_equal(got->anchor, was->anchor < 0 ? was->anchor : (int)numbers[was->anchor]);
		got++;
	}
	assert_int_equal(block->accesses, story->blocks[id].accesses - left_out);
}

static void check_blocks(const struct story *story, const struct ifr_trace *trace, bool prefetches) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	assert_int_equal(ifr_trace_blocks(trace, &blocks), story->block_count);
	ifr_trace_accesses(trace, &accesses);
	for (size_t i = 0; i < story->block_count; i++) {
		struct ifr_trace_block wanted = story->blocks[i];
		wanted.first_access = blocks[i].first_access;
		wanted.accesses = blocks[i].accesses;
		assert_memory_equal(&blocks[i], &wanted, offsetof(struct ifr_trace_block, end) + 1);
		assert_memory_equal(ifr_trace_code(trace, i), story->code[i], wanted.bytes);
		check_accesses(story, i, &blocks[i], accesses + wanted.first_access, prefetches);
	}
}

static void test_round_trip(void **state) {
	(void)state;
	char *path = below("whole.trace");
	for (uint64_t seed = 0; seed < 40; seed += at_depth(seed < 8 ? 1 : 15, 1)) {
		struct story story;
		struct ifr_trace *trace;
		struct ifr_trace_totals totals;
		tell(&story, seed, seed * seed * (seed > 37 ? 1000 : 20), path);
		assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
		assert_null(ifr_trace_damage(trace));
		check_regions(&story, trace);
		check_blocks(&story, trace, false);
		ifr_trace_totals(trace, &totals);
		assert_memory_equal(&totals, &story.totals, sizeof totals);
		assert_int_equal(read_runs(&story, trace, 1 + seed * 37), story.step_count);
		ifr_trace_rewind(trace);
		assert_int_equal(read_runs(&story, trace, 1 << 16), story.step_count);
		ifr_trace_keep_prefetches(trace);
		check_blocks(&story, trace, true);
		assert_int_equal(compare_runs(&story, trace, 1 + seed * 41, story.places, story.place_count),
		                 story.step_count);
		assert_null(ifr_trace_damage(trace));
		char *fact = ifr_trace_fact(trace, "program"), *note = ifr_trace_fact(trace, "note");
		assert_string_equal(fact, "/usr/bin/prog");
		assert_string_equal(note, "the end");
		assert_null(ifr_trace_fact(trace, "prog"));
		free(fact);
		free(note);
		ifr_trace_free(trace);
		forget(&story);
	}
	free(path);
}

/* Rewinds in the middle, and before the first execution. */
static void test_rewind(void **state) {
	(void)state;
	char *path = below("rewound.trace");
	struct story story;
	struct ifr_trace *trace;
	struct ifr_trace_chunk piece;
	tell(&story, 7, 5000, path);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	ifr_trace_rewind(trace);
	for (size_t i = 0; i < 20; i++) {
		ifr_trace_read_chunk(trace, 1 + i * 100, &piece);
		ifr_trace_rewind(trace);
	}
	assert_int_equal(read_runs(&story, trace, 1000), story.step_count);
	ifr_trace_free(trace);
	forget(&story);
	free(path);
}

static void read_file(const char *path, struct ifr_buffer *file) {
	ifr_buffer_clear(file);
	assert_int_equal(ifr_file_read(path, 0, file, NULL), 0);
}

/* Reads a trace that may be damaged: a prefix of the story, and a message unless it is all. */
static size_t read_damaged(const struct story *story, const char *path, const char *bytes, size_t length) {
	struct ifr_trace *trace;
	struct ifr_error err = {0};
	assert_int_equal(ifr_file_write(path, bytes, length, 0644, NULL), 0);
	int result = ifr_trace_open(path, &trace, &err);
	if (result) {
		assert_int_equal(result, -IFR_E_USAGE);
		assert_true(strstr(err.message, path) && !strchr(err.message, '\n'));
		return 0;
	}
	assert_non_null(ifr_trace_damage(trace));
	size_t steps = read_runs(story, trace, 4096);
	ifr_trace_free(trace);
	return steps;
}

/* Collects the ends of frames. */
static size_t frame_ends(const struct ifr_buffer *file, size_t *ends, size_t most) {
	size_t count = 0;
	for (size_t at = sizeof(struct trace_head); at < file->length && count < most;) {
		struct trace_frame head;
		memcpy(&head, file->data + at, sizeof head);
		at += sizeof head + head.stored_bytes;
		ends[count++] = at;
	}
	return count;
}

static void test_cut(void **state) {
	(void)state;
	char *path = below("long.trace"), *cut = below("cut.trace");
	struct story story;
	struct ifr_buffer file = {0};
	size_t ends[256], read = 0;
	tell(&story, 3, 400000, path);
	read_file(path, &file);
	size_t count = frame_ends(&file, ends, 256);
	assert_true(count > 5 && ends[count - 1] == file.length);
	for (size_t i = 0; i + 1 < count; i++) {
		size_t now = read_damaged(&story, cut, file.data, ends[i]);
		assert_true(now >= read);
		read = now;
	}
	assert_int_equal(read, story.step_count);
	for (size_t i = 0; i < 60; i++)
		read_damaged(&story, cut, file.data, below_of(&story, file.length));
	for (size_t length = 0; length < 200; length++)
		read_damaged(&story, cut, file.data, length);
	ifr_buffer_release(&file);
	forget(&story);
	free(cut);
	free(path);
}

static void test_flipped(void **state) {
	(void)state;
	char *path = below("short.trace"), *damaged = below("flipped.trace");
	struct story story;
	struct ifr_buffer file = {0};
	tell(&story, 5, 400, path);
	read_file(path, &file);
	/* At quick depth every byte of the head, and every third behind it. */
	for (size_t at = 0; at < file.length; at += at < 256 ? 1 : at_depth(3, 1)) {
		if (at >= 12 && at < 16)
			continue; /* unused in the head */
		char old = file.data[at];
		file.data[at] ^= (char)(1 << below_of(&story, 8));
		read_damaged(&story, damaged, file.data, file.length);
		file.data[at] = old;
	}
	ifr_buffer_release(&file);
	forget(&story);
	free(damaged);
	free(path);
}

/* --- how accesses are coded --- */

/* Writes a trace of blocks 0 to 1, of one stored access each, that run in turn at these addresses. */
static void write_addresses(const char *path, uint32_t blocks, const uint64_t *normalised, size_t count) {
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	const struct ifr_trace_access access = {.anchor = IFR_ACCESS_RECORDED, .bytes = 8};
	const struct ifr_trace_block block = {.bytes = 4, .instructions = 1, .accesses = 1, .end = IFR_END_LIMIT};
	assert_int_equal(ifr_trace_create(path, "", &writer, NULL), 0);
	for (uint32_t i = 0; i < blocks; i++)
		ifr_trace_add_block(writer, &block, &access, "code");
	for (size_t i = 0; i < count; i++)
		ifr_trace_add_execution(writer, (uint32_t)i % blocks, false, &normalised[i]);
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
}

/* Reads the payload of the only sequence frame. */
static struct trace_frame read_payload(const char *path, uint8_t *payload, size_t most) {
	struct ifr_buffer file = {0};
	struct trace_frame head = {0};
	read_file(path, &file);
	size_t at = sizeof(struct trace_head);
	do
		memcpy(&head, file.data + at, sizeof head);
	while (head.type != TRACE_SEQUENCE && (at += sizeof head + head.stored_bytes) < file.length);
	assert_int_equal(head.type, TRACE_SEQUENCE);
	assert_int_equal(ZSTD_decompress(payload, most, file.data + at + sizeof head, head.stored_bytes),
	                 head.raw_bytes);
	ifr_buffer_release(&file);
	return head;
}

/* The bytes follow from the notes in coding.h and misses.h by hand. The access comes from far, then from nearby, then by
 * the distance before; twenty predicted ones; and from far again, by a distance of 0x100000, whose zigzag is 2^21. */
static void test_coded_misses(void **state) {
	(void)state;
	static const uint8_t expected[] = {0x04, 0x05, 0x00, 0xf4, 8,    0x80, 0xc0, 0x80, 0x80,
	                                   0x80, 0x80, 0x40, 5,    0x80, 0x80, 0x80, 0x01};
	enum { COUNT = 30, JUMP = 23 };
	char *path = below("misses.trace");
	uint64_t normalised[COUNT];
	uint8_t payload[256];
	for (unsigned i = 0; i < COUNT; i++)
		normalised[i] = (UINT64_C(8) << IFR_MAPPING_SHIFT) + 0x1000 + 8 * i + (i < JUMP ? 0 : 0x100000 - 8);
	write_addresses(path, 1, normalised, COUNT);
	const struct trace_frame head = read_payload(path, payload, sizeof payload);
	assert_int_equal(head.token_bytes, 4);
	assert_int_equal(head.offset_bytes, 1);
	assert_int_equal(head.raw_bytes - head.sequence_bytes, sizeof expected);
	assert_memory_equal(payload + head.sequence_bytes, expected, sizeof expected);
	free(path);
}

/* An access that is always 16 bytes behind one that no stride predicts is predicted from its fourth time on. */
static void test_coded_relative(void **state) {
	(void)state;
	enum { PAIRS = 40 };
	char *path = below("relative.trace");
	uint64_t normalised[2 * PAIRS];
	uint8_t payload[4096];
	for (uint64_t i = 0; i < PAIRS; i++) {
		normalised[2 * i] = (UINT64_C(9) << IFR_MAPPING_SHIFT) + i * i * 0x10000;
		normalised[2 * i + 1] = normalised[2 * i] + 16;
	}
	write_addresses(path, 2, normalised, 2 * PAIRS);
	assert_int_equal(read_payload(path, payload, sizeof payload).token_bytes, PAIRS + 3);
	free(path);
}

static void test_grown_and_closed(void **state) {
	(void)state;
	char *path = below("regions.trace");
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	struct ifr_trace *trace;
	const struct ifr_mapping *regions;
	assert_int_equal(ifr_trace_create(path, "", &writer, NULL), 0);
	uint32_t heap = ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_HEAP, .bytes = 4096});
	ifr_trace_start_program(writer);
	ifr_trace_add_break(writer);
	ifr_trace_grow_mapping(writer, heap, 0, 12288);
	ifr_trace_grow_mapping(writer, heap, 0, 8192); /* the largest size stays */
	ifr_trace_add_break(writer);
	ifr_trace_add_break(writer);
	ifr_trace_close_mapping(writer, heap);
	uint32_t next =
		ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_ANONYMOUS, .bytes = 4096});
	assert_int_equal(next, heap + 1);
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	assert_int_equal(ifr_trace_mappings(trace, &regions), IFR_MAPPING_FIRST + 2);
	assert_int_equal(regions[heap].bytes, 12288);
	assert_int_equal(regions[heap].opened, 0);
	assert_int_equal(regions[heap].closed, 1);
	assert_int_equal(regions[next].opened, 2);
	assert_true(regions[next].closed == UINT64_MAX);
	ifr_trace_free(trace);
	free(path);
}

static void refused(const char *name, const char *word) {
	char *path = below(name);
	struct ifr_trace *trace;
	struct ifr_error err = {0};
	assert_int_equal(ifr_trace_open(path, &trace, &err), -IFR_E_USAGE);
	if (!strstr(err.message, word) || !strstr(err.message, name))
		fail_msg("no \"%s\" in: %s", word, err.message);
	free(path);
}

static void test_refused(void **state) {
	(void)state;
	struct trace_head head = {.magic = TRACE_MAGIC, .version = IFR_TRACE_VERSION + 1};
	char *path = below("newer.trace");
	assert_int_equal(ifr_file_write(path, &head, sizeof head, 0644, NULL), 0);
	head.version = IFR_TRACE_VERSION - 1;
	free(path);
	path = below("older.trace");
	assert_int_equal(ifr_file_write(path, &head, sizeof head, 0644, NULL), 0);
	write_below("words.trace", "no trace at all, but longer than a head\n");
	write_below("empty.trace", "");
	refused("newer.trace", "record again");
	refused("older.trace", "record again");
	refused("words.trace", "is no trace");
	refused("empty.trace", "is no trace");
	refused("missing.trace", "No such file");
	refused("", "is no trace"); /* a folder */
	free(path);
}

/* Appends a line twice; the rest stays as it was. A truncated trace is left alone. */
static void test_amended(void **state) {
	(void)state;
	char *path = below("amended.trace"), *cut = below("amended-cut.trace");
	struct story story;
	struct ifr_trace *trace;
	struct ifr_error err = {0};
	struct ifr_buffer file = {0}, now = {0};
	tell(&story, 11, 3000, path);
	read_file(path, &file);
	assert_int_equal(ifr_trace_amend(path, "approximate its stack\n", NULL), 0);
	assert_int_equal(ifr_trace_amend(path, "second 2\n", NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	assert_null(ifr_trace_damage(trace));
	char *first = ifr_trace_fact(trace, "approximate"), *second = ifr_trace_fact(trace, "second");
	assert_string_equal(first, "its stack");
	assert_string_equal(second, "2");
	assert_int_equal(read_runs(&story, trace, 1000), story.step_count);
	ifr_trace_free(trace);
	assert_int_equal(ifr_file_write(cut, file.data, file.length - 1, 0644, NULL), 0);
	assert_int_equal(ifr_trace_amend(cut, "x y\n", &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "in the middle of a frame"));
	read_file(cut, &now);
	assert_int_equal(now.length, file.length - 1);
	ifr_buffer_release(&file);
	ifr_buffer_release(&now);
	forget(&story);
	free(first);
	free(second);
	free(cut);
	free(path);
}

/* A discarded trace leaves no file; one that cannot be written is reported. */
static void test_discarded(void **state) {
	(void)state;
	char *path = below("gone/a.trace");
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	struct ifr_error err = {0};
	assert_int_equal(ifr_trace_create(path, "", &writer, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, path));
	shell_below("mkdir gone", NULL);
	assert_int_equal(ifr_trace_create(path, "", &writer, NULL), 0);
	assert_int_equal(ifr_trace_close(writer, true, &totals, NULL), 0);
	shell_below("test -z \"$(ls gone)\"", NULL);
	assert_int_equal(ifr_trace_create(path, "", &writer, NULL), 0);
	shell_below("rm -r gone", NULL); /* the folder of the trace is gone */
	assert_int_equal(ifr_trace_close(writer, false, &totals, &err), -IFR_E_ENVIRONMENT);
	free(path);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_rewind),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_coded_misses),
		cmocka_unit_test(test_coded_relative),
		cmocka_unit_test(test_grown_and_closed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_discarded),
		cmocka_unit_test(test_amended),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
