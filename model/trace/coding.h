/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The on-disk format of frames and the coding of sequence frames, shared by writer and reader.
 *
 * Payload of a sequence frame: `sequence_bytes` of block executions, `token_bytes` of tokens of mispredicted accesses,
 * `offset_bytes` of their offsets, and the rest (model/trace/misses.h); each part is compressed by itself. The block
 * executions:
 *
 *   varint   hits: so many block executions are as predicted
 *   varint   a mispredicted block execution        } repeated; the part ends behind a hits
 *   varint   hits                                  }
 *
 * A block execution is predicted as the one that followed the last four ones last time. Each stored access of each
 * block is predicted by its stride or from the access before. Accesses behind the last mispredicted one are as
 * predicted. */
#ifndef IFR_MODEL_CODING_H
#define IFR_MODEL_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- frames --- */

enum trace_frame_type {
	TRACE_TEXT = 1,
	TRACE_MAPPINGS,
	TRACE_BLOCKS,
	TRACE_SEQUENCE,
	TRACE_TOTALS,
	TRACE_REQUESTS,
	TRACE_SITES
};

struct trace_frame {
	uint32_t type;
	uint32_t executions;                /* block executions in a sequence frame; with sequence_bytes */
	uint64_t sequence_bytes;            /* bytes of the raw payload that code block executions */
	uint64_t token_bytes, offset_bytes; /* and mispredicted accesses; 0 in other frames */
	uint64_t raw_bytes;                 /* at most TRACE_FRAME_LIMIT */
	uint64_t stored_bytes;              /* bytes of the compressed payload, behind this head */
	uint64_t checksum; /* SipHash, under the keys below, of the head with 0 here and the compressed payload */
};

#define TRACE_MAGIC "IFRTRACE"
#define TRACE_FRAME_LIMIT (UINT64_C(1) << 30)
#define TRACE_KEY_0 UINT64_C(0x696e746572666572)
#define TRACE_KEY_1 UINT64_C(0x6f20747261636531)

struct trace_head {
	char magic[8];
	uint32_t version, unused;
};

/* A mapping; its path follows, padded to 8 bytes. A later one of the same number replaces it. */
struct trace_mapping {
	uint32_t number, kind, path_bytes;
	uint16_t fixed, allocator;
	uint64_t start, bytes, opened, closed;
};

/* --- numbers --- */

enum { VARINT_BYTES_MAX = 10 };

static inline uint8_t *varint_put(uint8_t *to, uint64_t value) {
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

/* Returns the position behind the number; NULL at the end of the input or if the number is too long. */
static inline const uint8_t *varint_get(const uint8_t *from, const uint8_t *end, uint64_t *value) {
	uint64_t sum = 0;
	for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
		uint8_t byte = *from++;
		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = sum;
			return from;
		}
	}
	return NULL;
}

static inline uint64_t zigzag(int64_t value) {
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}
static inline int64_t unzigzag(uint64_t value) {
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* --- prediction of block executions --- */

enum { EXECUTION_TABLE_BITS = 16 };

struct execution_coder {
	uint32_t table[1 << EXECUTION_TABLE_BITS];
	uint32_t history;
};

static inline uint32_t execution_index(uint32_t history) {
	return history >> (32 - EXECUTION_TABLE_BITS);
}
/* An execution leaves the index bits of the history after four more. */
static inline uint32_t execution_history(uint32_t history, uint32_t execution) {
	return (history << 6) + execution * 0x9e3779b1U;
}
static inline uint32_t *execution_predicted(struct execution_coder *coder) {
	return &coder->table[execution_index(coder->history)];
}

/* --- strides of accesses --- */

/* Two predictors compete for each access. One says the last stride that came twice in a row, as for arrays. The other
 * says the distance from the access before in the same mapping, as for stack frames and what one pointer leads to. The
 * predictor that an access follows changes where it fails and the other would have been right, so that a predicted access
 * costs no more than an addition and two stores.
 * Ref: Burtscher 2004, section 3 (for traces, several predictors an access).
 *
 * Mispredicted accesses in 1000 instructions, by the first predictor alone and by both: gawk 122, 80; a calculator 104,
 * 67; a shell 86, 38; zstd 90, 85; xz 75, 70. Tables of stride histories (Goeman et al. 2001) halve some of these again,
 * but recording took a quarter more of processor time with them (a shell 1.36 to 1.70 s, zstd 0.78 to 1.02 s). */
enum { LAST_ADDRESSES = 16, PREFERS_RELATIVE = 2 };

/* The last address in each mapping, by the low bits of its number. */
struct last_addresses {
	uint64_t last[LAST_ADDRESSES];
};

/* The prediction is always one address plus one distance: `*from + distance`, so that it needs no decision. Coders stay
 * where they are. */
struct address_coder {
	const uint64_t *from; /* the last address of this access, or of its mapping */
	int64_t distance;     /* stride, or relative */
	uint64_t last;        /* the last address of this access */
	uint64_t *in_mapping; /* of the mapping of that address, when last mispredicted */
	int64_t stride;
	int64_t candidate;   /* the last stride that was mispredicted */
	int64_t relative;    /* distance from the access before, in the same mapping, when last mispredicted */
	uint32_t preference; /* at PREFERS_RELATIVE, `relative` predicts */
};

static inline void address_coders_init(struct address_coder *coders, size_t count,
                                       struct last_addresses *addresses) {
	for (size_t i = 0; i < count; i++)
		coders[i] = (struct address_coder){.from = &coders[i].last, .in_mapping = addresses->last};
}

static inline uint64_t address_predicted(const struct address_coder *coder) {
	return *coder->from + (uint64_t)coder->distance;
}

/* Follows a predicted address. */
static inline void address_advance(struct address_coder *coder, uint64_t normalised) {
	coder->last = normalised;
	*coder->in_mapping = normalised;
}

/* Follows a mispredicted address. shift: of a mapping's number. */
static inline void address_correct(struct address_coder *coder, struct last_addresses *addresses,
                                   uint64_t normalised, unsigned shift) {
	uint64_t *in_mapping = &addresses->last[normalised >> shift & (LAST_ADDRESSES - 1)];
	const int64_t relative = (int64_t)(normalised - *in_mapping), stride = (int64_t)(normalised - coder->last);
	const bool same = in_mapping == coder->in_mapping && relative == coder->relative;
	coder->preference += coder->preference == PREFERS_RELATIVE ? UINT32_MAX : same;
	coder->stride = stride == coder->candidate ? stride : coder->stride;
	coder->candidate = stride;
	coder->relative = relative;
	coder->in_mapping = in_mapping;
	const bool relates = coder->preference == PREFERS_RELATIVE;
	coder->from = relates ? in_mapping : &coder->last;
	coder->distance = relates ? relative : coder->stride;
	address_advance(coder, normalised);
}

#endif
