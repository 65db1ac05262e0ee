/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/perf_samples.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES_MOST = 64, WALK_MOST = 4096, WALK_LEAST = 2 * IFR_SHOTGUN_AROUND, MAPPED_MOST = 4096 };

/* Code of a file in the run's address space. */
struct mapped {
	uint64_t start, bytes, normalised;
};

struct branch {
	uint64_t from, to;
	bool mispredicted;
};

/* A sample as its line tells it. */
struct line_sample {
	uint64_t ip, address, source, period;
	bool has_source, counts_instructions;
	struct branch branches[BRANCHES_MOST]; /* the youngest first */
	size_t count;
};

/* An instruction of a path. */
struct walked {
	uint64_t at, next; /* next: of a taken branch */
	uint8_t bits;
};

struct block_at {
	uint64_t at, address;
	uint32_t block;
	bool placed; /* it has a place among the samples */
	struct ifr_placed instructions;
};

struct perf_reader {
	const struct ifr_shotgun_code *code;
	const struct ifr_perf_file *files;
	size_t files_count;
	struct ifr_shotgun_samples *samples;
	struct mapped *mapped;
	size_t mapped_count;
	struct block_at *blocks; /* by `at`; of blocks that begin alike, the longest */
	size_t blocks_count;
	struct walked walk[WALK_MOST];
	size_t walk_count;
};

/* --- code --------------------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b) {
	const struct block_at *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static void list_blocks(struct perf_reader *reader) {
	const struct ifr_shotgun_code *code = reader->code;
	size_t kept = 0;
	reader->blocks = ifr_alloc((code->blocks_count + 1) * sizeof *reader->blocks);
	for (size_t i = 0; i < code->blocks_count; i++)
		reader->blocks[i] = (struct block_at){.at = code->blocks[i].normalised, .block = (uint32_t)i};
	qsort(reader->blocks, code->blocks_count, sizeof *reader->blocks, by_start);
	for (size_t i = 0; i < code->blocks_count; i++) {
		struct block_at *last = kept ? &reader->blocks[kept - 1] : NULL;
		if (!code->blocks[reader->blocks[i].block].bytes)
			continue;
		if (!last || last->at != reader->blocks[i].at)
			reader->blocks[kept++] = reader->blocks[i];
		else if (code->blocks[last->block].bytes < code->blocks[reader->blocks[i].block].bytes)
			*last = reader->blocks[i];
	}
	reader->blocks_count = kept;
}

static struct block_at *find_block(struct perf_reader *reader, uint64_t at) {
	const struct block_at key = {.at = at};
	return bsearch(&key, reader->blocks, reader->blocks_count, sizeof key, by_start);
}

/* The mapping of an address; NULL: none with code of the trace. The youngest counts. */
static const struct mapped *find_mapped(const struct perf_reader *reader, uint64_t address) {
	for (size_t i = reader->mapped_count; i-- > 0;)
		if (address - reader->mapped[i].start < reader->mapped[i].bytes)
			return &reader->mapped[i];
	return NULL;
}

/* The normalised address; 0: not in code of the trace. */
static uint64_t normalise(const struct perf_reader *reader, uint64_t address) {
	const struct mapped *mapped = find_mapped(reader, address);
	return mapped ? address - mapped->start + mapped->normalised : 0;
}

/* --- a path ------------------------------------------------------------------------------------------------------- */

static void add_place(struct perf_reader *reader, struct block_at *block, uint64_t address) {
	if (block->placed)
		return;
	block->placed = true;
	block->address = address;
	ifr_core_place(reader->code->core, reader->code->program, block->block, address,
	               reader->code->blocks[block->block].bytes, &block->instructions);
	ifr_shotgun_add_place(reader->samples, block->at, address);
}

enum course { GOES_ON, ARRIVED, ASTRAY };

static struct walked *add_walked(struct perf_reader *reader, uint64_t at) {
	struct walked *walked = &reader->walk[reader->walk_count++];
	*walked = (struct walked){.at = at, .bits = ifr_shotgun_parity(at)};
	return walked;
}

/* The path leaves a block by its last instruction. */
static enum course take_branch(const struct perf_reader *reader, const struct branch *branch,
                               struct walked *last) {
	last->bits |= (uint8_t)(IFR_SHOTGUN_DOES | (branch->mispredicted ? IFR_SHOTGUN_SUFFERS : 0));
	last->next = normalise(reader, branch->to);
	return last->next ? ARRIVED : ASTRAY;
}

/* Walks through a block, as far as to the branch, or to the sampled instruction (branch: NULL). */
static enum course walk_block(struct perf_reader *reader, const struct block_at *block, uint64_t address,
                              uint64_t to, const struct branch *branch) {
	const struct ifr_trace_block *code = &reader->code->blocks[block->block];
	const struct ifr_placed *placed = &block->instructions;
	const bool here = to - address < code->bytes, branches = code->branch != IFR_BRANCH_NONE;
	struct walked *last = NULL;
	uint64_t offset = 0;
	if (reader->walk_count + placed->count > WALK_MOST)
		return ASTRAY;
	for (unsigned i = 0; i < placed->count; i++) {
		offset = placed->instructions[i].offset;
		if (here && !branch && address + offset >= to)
			return address + offset == to ? ARRIVED : ASTRAY;
		last = add_walked(reader, block->at + offset);
		if (i + 1 < placed->count || !branches)
			last->bits |= IFR_SHOTGUN_UNKNOWN;
	}
	if (here)
		return branch && branches && last && to - address >= offset ? take_branch(reader, branch, last) : ASTRAY;
	/* A branch that the stack lacks was not taken. */
	return !branches || code->branch == IFR_BRANCH_CONDITIONAL ? GOES_ON : ASTRAY;
}

/* Walks through straight code up to a branch, or up to the sampled instruction (branch: NULL). Returns false where
 * the code of the trace does not lead there. */
static bool walk_straight(struct perf_reader *reader, uint64_t address, uint64_t to, const struct branch *branch) {
	enum course course = GOES_ON;
	while (course == GOES_ON && address <= to) {
		struct block_at *block = find_block(reader, normalise(reader, address));
		if (!block)
			return !branch && address == to;
		add_place(reader, block, address);
		course = walk_block(reader, block, address, to, branch);
		address += reader->code->blocks[block->block].bytes;
	}
	return course == ARRIVED;
}

/* The bits around an instruction of the path, as far as they are known. */
static struct ifr_shotgun_detail begin_detail(const struct perf_reader *reader, size_t index, uint64_t at) {
	struct ifr_shotgun_detail detail = {.at = at};
	for (int n = -IFR_SHOTGUN_AROUND; n <= IFR_SHOTGUN_AROUND; n++) {
		const size_t i = index + (size_t)n;
		const unsigned bit = (unsigned)(n + IFR_SHOTGUN_AROUND);
		if (i >= reader->walk_count) {
			detail.absent |= 1u << bit;
			continue;
		}
		detail.unknown |= (uint32_t)(reader->walk[i].bits >> 3 & 1) << bit;
		detail.does |= (uint32_t)(reader->walk[i].bits & 1) << bit;
		detail.suffers |= (uint32_t)(reader->walk[i].bits >> 1 & 1) << bit;
		detail.parity |= (uint32_t)(reader->walk[i].bits >> 2 & 1) << bit;
	}
	return detail;
}

/* Tells a path as a signature and the samples of its branches, and begins the next one. */
static void end_walk(struct perf_reader *reader) {
	const size_t count = reader->walk_count;
	if (count >= WALK_LEAST) {
		ifr_shotgun_begin_signature(reader->samples, reader->walk[0].at, false);
		for (size_t i = 0; i < count; i++)
			ifr_shotgun_add_bits(reader->samples, reader->walk[i].bits);
	}
	for (size_t i = 0; i < count && count >= WALK_LEAST; i++) {
		if (reader->walk[i].bits & IFR_SHOTGUN_UNKNOWN)
			continue;
		struct ifr_shotgun_detail detail = begin_detail(reader, i, reader->walk[i].at);
		detail.next = reader->walk[i].next;
		detail.flags = (uint8_t)((reader->walk[i].bits & IFR_SHOTGUN_DOES ? IFR_SHOTGUN_TAKEN : 0) |
		                         (reader->walk[i].bits & IFR_SHOTGUN_SUFFERS ? IFR_SHOTGUN_MISPREDICTED : 0));
		ifr_shotgun_add_detail(reader->samples, &detail);
	}
	reader->walk_count = 0;
}

/* --- an access ---------------------------------------------------------------------------------------------------- */

/* Where an access found its line: 0 to 3, as IFR_CORE_LEVEL has it. A line that is on its way counts as missed. */
static unsigned line_level(const union perf_mem_data_src *source) {
	const unsigned level = source->mem_lvl;
	if (source->mem_lvl_num && source->mem_lvl_num != PERF_MEM_LVLNUM_NA)
		switch (source->mem_lvl_num) {
		case PERF_MEM_LVLNUM_L1:
			return 0;
		case PERF_MEM_LVLNUM_L2:
		case PERF_MEM_LVLNUM_LFB:
			return 1;
		case PERF_MEM_LVLNUM_L3:
		case PERF_MEM_LVLNUM_L4:
		case PERF_MEM_LVLNUM_ANY_CACHE:
			return 2;
		default:
			return 3;
		}
	if (!(level & PERF_MEM_LVL_HIT))
		return level & PERF_MEM_LVL_MISS ? level & PERF_MEM_LVL_L3 ? 3 : level & PERF_MEM_LVL_L2 ? 2 : 1 : 0;
	if (level & PERF_MEM_LVL_L1)
		return 0;
	if (level & (PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2))
		return 1;
	return level & (PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) ? 2 : 3;
}

static unsigned page_level(const union perf_mem_data_src *source) {
	const unsigned tlb = source->mem_dtlb;
	if (!(tlb & (PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS)) || tlb & PERF_MEM_TLB_L1)
		return 0;
	return tlb & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS | PERF_MEM_TLB_MISS) ? 2 : 1;
}

/* The detailed sample of an access, behind the path to it. */
static void add_access(struct perf_reader *reader, const struct line_sample *sample) {
	const union perf_mem_data_src source = {.val = sample->source};
	const uint64_t at = normalise(reader, sample->ip);
	if (!sample->has_source || !at || !(source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE)))
		return;
	struct ifr_shotgun_detail detail = begin_detail(reader, reader->walk_count, at);
	const unsigned line = line_level(&source);
	const uint8_t level = IFR_CORE_LEVEL(line, page_level(&source));
	detail.absent &= ~(1u << IFR_SHOTGUN_AROUND);
	detail.does |= (uint32_t)(line < 2) << IFR_SHOTGUN_AROUND;
	detail.suffers |= (uint32_t)(level != 0) << IFR_SHOTGUN_AROUND;
	detail.parity |= (uint32_t)(ifr_shotgun_parity(at) != 0) << IFR_SHOTGUN_AROUND;
	detail.access[detail.accesses++] =
		(struct ifr_shotgun_access){.in_page = (uint16_t)(sample->address & 4095), .level = level};
	ifr_shotgun_add_detail(reader->samples, &detail);
}

static void add_sample(struct perf_reader *reader, const struct line_sample *sample) {
	reader->walk_count = 0;
	for (size_t i = sample->count; i-- > 0;) {
		const uint64_t begin = sample->branches[i].to;
		const struct branch *next = i ? &sample->branches[i - 1] : NULL;
		if (!walk_straight(reader, begin, next ? next->from : sample->ip, next))
			end_walk(reader);
	}
	add_access(reader, sample);
	end_walk(reader);
	if (sample->counts_instructions)
		reader->samples->instructions += sample->period;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

bool ifr_perf_samples_recognise(const char *text) {
	return strncmp(text, "instructions ", 13) != 0 && strstr(text, "PERF_RECORD_MMAP");
}

/* "[0x401000(0x5000) @ 0x1000 ...]: r-xp PATH". Returns whether a line is of this form. */
static bool parse_mapping(struct perf_reader *reader, const char *line) {
	uint64_t start, bytes, offset;
	const char *found = strchr(line, '['), *end = found ? strstr(found, "]: ") : NULL;
	const char *path = end ? strchr(end + 3, ' ') : NULL;
	if (!path || sscanf(found, "[%" SCNx64 "(%" SCNx64 ") @ %" SCNx64, &start, &bytes, &offset) != 3)
		return false;
	for (size_t i = 0; i < reader->files_count && reader->mapped_count < MAPPED_MOST; i++)
		if (!strcmp(reader->files[i].path, path + 1))
			reader->mapped[reader->mapped_count++] =
				(struct mapped){start, bytes, reader->files[i].normalised + offset};
	return true;
}

static bool parse_hex(const char *text, uint64_t *value) {
	char *end;
	*value = strtoull(text, &end, 16);
	return end != text && !*end;
}

/* "0x401136/0x401120/P/-/-/2", and what later versions of perf add. */
static bool parse_branch(const char *text, struct branch *branch) {
	char prediction;
	const int read = sscanf(text, "0x%" SCNx64 "/0x%" SCNx64 "/%c/", &branch->from, &branch->to, &prediction);
	branch->mispredicted = read == 3 && prediction == 'M';
	return read == 3 && strchr("MPN-", prediction);
}

/* Splits a line into words. */
static size_t split(char *line, char **words, size_t most) {
	size_t count = 0;
	char *rest = line;
	for (char *word; count < most && (word = strtok_r(rest, " \t", &rest));)
		words[count++] = word;
	return count;
}

/* "[PERIOD] EVENT: [ADDR] [DATA_SRC |OP ...] IP [BRANCH...]". */
static bool parse_sample(char *line, struct line_sample *sample) {
	enum { WORDS = BRANCHES_MOST + 64 };
	char *words[WORDS], *end;
	const size_t all = split(line, words, WORDS);
	size_t count = all, first = 0;
	*sample = (struct line_sample){0};
	if (count && (sample->period = strtoull(words[0], &end, 10), end != words[0] && !*end))
		first++;
	if (first >= count || words[first][strlen(words[first]) - 1] != ':')
		return false;
	sample->counts_instructions = strstr(words[first], "instructions");
	first++;
	while (count > first && !strncmp(words[count - 1], "0x", 2) && strchr(words[count - 1], '/'))
		count--;
	for (size_t i = count; i < all && sample->count < BRANCHES_MOST; i++)
		if (!parse_branch(words[i], &sample->branches[sample->count++]))
			return false;
	if (count <= first || !parse_hex(words[count - 1], &sample->ip))
		return false;
	if (count - first == 1)
		return true;
	if (!parse_hex(words[first], &sample->address))
		return false;
	sample->has_source = count - first > 2 && parse_hex(words[first + 1], &sample->source);
	return sample->has_source == (count - first > 2);
}

static bool parse_line(char *line, void *into) {
	struct perf_reader *reader = into;
	struct line_sample sample;
	const char *record = strstr(line, "PERF_RECORD_");
	if (line[strspn(line, " \t")] == '#' || !line[strspn(line, " \t")])
		return true;
	if (record)
		return strncmp(record, "PERF_RECORD_MMAP", 16) != 0 || parse_mapping(reader, record);
	if (!parse_sample(line, &sample))
		return false;
	add_sample(reader, &sample);
	return true;
}

int ifr_perf_samples_parse(const char *text, const char *name, const struct ifr_shotgun_code *code,
                           const struct ifr_perf_file *files, size_t count, struct ifr_shotgun_samples *samples,
                           struct ifr_error *err) {
	struct perf_reader *reader = ifr_alloc(sizeof *reader);
	reader->code = code;
	reader->files = files;
	reader->files_count = count;
	reader->samples = samples;
	reader->mapped = ifr_alloc(MAPPED_MOST * sizeof *reader->mapped);
	*samples = (struct ifr_shotgun_samples){0};
	list_blocks(reader);
	int result = ifr_shotgun_parse_lines(
		text, name, parse_line, reader,
		": print them with perf script --show-mmap-events -F period,event,addr,data_src,ip,brstack", err);
	if (!result && !samples->signatures_count)
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s: no branch stack leads through code of the trace: take samples with perf record -b, of "
		             "the program that was recorded, and print them with --show-mmap-events",
		             name);
	for (size_t i = 0; i < reader->blocks_count; i++)
		free(reader->blocks[i].instructions.parts);
	free(reader->blocks);
	free(reader->mapped);
	free(reader);
	return result;
}
