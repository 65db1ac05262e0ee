/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay MACHINE LANES ENGINE: replays made-up chunks, and prints millions of conditional branches and of
 * instructions a second, over all lanes together. ENGINE is auto, scalar, avx2 or avx512; what ran is printed too.
 *
 * The branches come from a loop over 500 blocks of a few hundred bytes of code, most of them biased, as compiled
 * code has them; a third of the blocks make two accesses each to 64 KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/buffer.h"
#include "common/random.h"
#include "model/replay/replay.h"
#include "model/machines/machine.h"

#define BLOCKS 500
#define STEPS 4000000
#define CHUNK 65536

static uint64_t number(uint64_t *state) {
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void die(const struct ifr_error *err) {
	fprintf(stderr, "replay: %s\n", err->message);
	exit(err->code);
}

static double seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct work {
	struct ifr_block blocks[BLOCKS];
	struct ifr_access accesses[2 * BLOCKS];
	uint32_t steps[STEPS];
	uint64_t addresses[2 * STEPS];
	size_t data_count;
	size_t chunk_data[STEPS / CHUNK + 1]; /* accesses of each chunk */
};

static uint64_t address(uint64_t *seed, size_t step) {
	const uint64_t place = number(seed) % 100;
	if (place < 80)
		return 0x7ffffffe0000 + number(seed) % 64 * 8;
	return place < 95 ? 0x7f0000000000 + step * 8 % (4 << 20) : 0x600000 + number(seed) % 32768 * 8;
}

/* Each conditional block goes on to the next or skips one; the last returns to the first. */
static void fill(struct work *work, bool data) {
	uint64_t seed = 1;
	size_t accesses = 0, at = 0;
	for (size_t i = 0; i < BLOCKS; i++) {
		work->blocks[i] =
			(struct ifr_block){(uint32_t)accesses, data && i % 3 == 0 ? 2 : 0, IFR_BRANCH_CONDITIONAL};
		accesses += work->blocks[i].accesses;
	}
	for (size_t i = 0; i < accesses; i++)
		work->accesses[i] = (struct ifr_access){8, i & 1};
	for (size_t i = 0; i < STEPS; i++) {
		const bool biased = at % 8 != 0;
		const bool taken = number(&seed) % 64 < (biased ? 1 : 20) || at + 2 >= BLOCKS;
		work->steps[i] = (uint32_t)(at << 1 | taken);
		work->chunk_data[i / CHUNK] += work->blocks[at].accesses;
		for (size_t k = 0; k < work->blocks[at].accesses; k++)
			work->addresses[work->data_count++] = address(&seed, i);
		at = at + 2 >= BLOCKS ? 0 : at + 1 + taken;
	}
}

static struct ifr_lane place(uint64_t seed) {
	struct ifr_geometry *blocks = ifr_alloc(BLOCKS * sizeof *blocks);
	uint64_t address = 0x401000 + number(&seed) % 4096;
	uint16_t *ends = ifr_alloc(2 * BLOCKS * sizeof *ends);
	for (size_t i = 0; i < BLOCKS; i++) {
		const uint16_t bytes = (uint16_t)(8 + i * 7 % 24);
		blocks[i] = (struct ifr_geometry){address, bytes, (uint16_t)(bytes / 4), 2, false};
		address += bytes + (i % 10 ? 0 : number(&seed) % 512);
	}
	for (size_t i = 0; i < 2 * BLOCKS; i++)
		ends[i] = 4;
	return (struct ifr_lane){blocks, ends, 0};
}

static void replay_all(struct ifr_replay *replay, const struct work *work, struct ifr_error *err) {
	size_t data = 0;
	for (size_t i = 0; i < STEPS; i += CHUNK) {
		struct ifr_chunk chunk = {work->blocks,
		                          work->accesses,
		                          BLOCKS,
		                          2 * BLOCKS,
		                          work->steps + i,
		                          STEPS - i < CHUNK ? STEPS - i : CHUNK,
		                          work->chunk_data[i / CHUNK]};
		const uint64_t *addresses[] = {work->addresses + data};
		data += chunk.data_count;
		if (ifr_replay_chunk(replay, &chunk, addresses, err))
			die(err);
	}
}

int main(int argc, char **argv) {
	struct ifr_error err = {0};
	struct ifr_machine *machine;
	struct ifr_replay *replay;
	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: replay MACHINE LANES ENGINE [nodata]\n");
		return 2;
	}
	const size_t lanes_count = strtoul(argv[2], NULL, 10);
	unsigned engine = 0;
	while (ifr_engine_names[engine] && strcmp(ifr_engine_names[engine], argv[3]))
		engine++;
	if (!ifr_engine_names[engine]) {
		fprintf(stderr, "replay: there is no engine \"%s\"\n", argv[3]);
		return 2;
	}
	struct work *work = ifr_alloc(sizeof *work);
	fill(work, argc < 5);
	struct ifr_lane *lanes = ifr_alloc((lanes_count + 1) * sizeof *lanes);
	for (size_t i = 0; i < lanes_count; i++)
		lanes[i] = place(i);
	if (ifr_machine_open(&machine, argv[1], &err) || ifr_replay_new(&replay, machine, lanes_count, engine, &err))
		die(&err);
	ifr_replay_lanes(replay, lanes);
	replay_all(replay, work, &err); /* warm */
	struct ifr_counts *counters = ifr_alloc(2 * lanes_count * sizeof *counters);
	ifr_replay_counters(replay, counters);
	const double start = seconds();
	replay_all(replay, work, &err);
	const double took = seconds() - start;
	ifr_replay_counters(replay, counters + lanes_count);
	double branches = 0, instructions = 0;
	for (size_t i = 0; i < lanes_count; i++) {
		const uint64_t *before = counters[i].value, *after = counters[lanes_count + i].value;
		branches += (double)(after[IFR_EVENT_CONDITIONAL_BRANCHES] - before[IFR_EVENT_CONDITIONAL_BRANCHES]);
		instructions += (double)(after[IFR_EVENT_INSTRUCTIONS] - before[IFR_EVENT_INSTRUCTIONS]);
	}
	printf("%-40s %2zu lanes, %-7s %8.0f M conditional branches/s %8.0f M instructions/s  %.4f missed\n", argv[1],
	       lanes_count, ifr_replay_engine(replay), branches / took / 1e6, instructions / took / 1e6,
	       (double)counters[lanes_count].value[IFR_EVENT_CONDITIONAL_MISSES] /
	           (double)counters[lanes_count].value[IFR_EVENT_CONDITIONAL_BRANCHES]);
	ifr_replay_free(replay);
	ifr_machine_free(machine);
	return 0;
}
