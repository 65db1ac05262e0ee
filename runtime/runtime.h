/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runtime (libinterfero.so) and its users outside the measured process have in common: the page on which
 * it reports, and the allocation log.
 *
 * The runtime is preloaded, or linked in, and asked by environment variables (options.h has the table). It fails
 * open: what cannot be applied leaves the program running, and stands on the page. A program that never loaded it,
 * such as a static one, leaves the page as it was. */
#ifndef IFR_RUNTIME_H
#define IFR_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/recorded.h"

/* --- the page
 * ----------------------------------------------------------------------------------------------------
 *
 * The launcher makes a file of IFR_REPORT_BYTES, writes magic and a nonce of its choice, lets the program inherit
 * the descriptor, and passes "DESCRIPTOR:NONCE" (decimal) as the setting `report`. The first process that finds
 * magic and nonce there maps the page and closes the descriptor. All counts are of that process and its forks. */
#define IFR_REPORT_MAGIC UINT64_C(0x3054504552524649) /* "IFRREPT0" */
enum { IFR_REPORT_BYTES = 4096, IFR_REGIONS = 24, IFR_REGION_NAME = 40, IFR_REGION_EVENTS = 9 };
/* The descriptors of perf events that regions are to count lie from here on, where the program inherits them. */
enum { IFR_EVENT_FD = 910 };

enum ifr_report_applied {
	IFR_APPLIED_RUNTIME = 1 << 0, /* it was loaded and has read its settings */
	IFR_APPLIED_HEAP = 1 << 1,
	IFR_APPLIED_BLOCKS = 1 << 2,
	IFR_APPLIED_STACK = 1 << 3,
	IFR_APPLIED_LOG = 1 << 4,
	IFR_APPLIED_ADDRESS = 1 << 5 /* the arena lies where it lies in every run */
};

struct ifr_region_sum {
	char name[IFR_REGION_NAME];
	_Atomic uint64_t entries;     /* whole passes through the region */
	_Atomic uint64_t cycles;      /* of the time-stamp counter, summed over passes */
	_Atomic uint64_t time_ns;     /* CLOCK_MONOTONIC, summed over passes */
	_Atomic uint64_t events_lost; /* passes in which an event could not be read */
	_Atomic uint64_t events[IFR_REGION_EVENTS];
};

struct ifr_runtime_report {
	uint64_t magic, nonce;
	_Atomic uint32_t applied;   /* enum ifr_report_applied, or-ed */
	_Atomic uint32_t elsewhere; /* requests that went to glibc although an axis should have placed them */
	char refused[160];          /* the first setting that could not be applied, and why; "" if all were */
	_Atomic uint32_t regions;   /* rows in use */
	struct ifr_region_sum region[IFR_REGIONS];
};
_Static_assert(sizeof(struct ifr_runtime_report) <= IFR_REPORT_BYTES, "the report fits its page");

/* --- requests played again
 * ---------------------------------------------------------------------------------------
 *
 * libexec's player reads these on standard input, which is a file, and writes into them where the allocator put
 * each object. */
enum ifr_play_home {
	IFR_PLAY_FIXED,   /* at its address, in the arena; 0: it got no memory */
	IFR_PLAY_HEAP,    /* offset bytes into what brk gives */
	IFR_PLAY_MAPPING, /* offset bytes into a mapping of its own */
};
struct ifr_play_request {
	uint64_t bytes, alignment;
	uint32_t old;     /* the request, of those before, whose object this one ends; otherwise any other number */
	uint32_t request; /* enum ifr_request */
	uint64_t address; /* from here on the player's */
	uint64_t offset, mapping_bytes;
	uint64_t home; /* enum ifr_play_home */
};

/* --- the allocation log
 * ------------------------------------------------------------------------------------------
 *
 * A file of blocks of IFR_LOG_BLOCK bytes, in the machine's byte order. Block 0 is struct ifr_log_head and nothing
 * else. Every other block belongs to one thread of one process: struct ifr_log_block, then `used` bytes of events.
 * A killed program leaves a log that is whole up to its last event. An event is
 *
 *     varint   (sequence - last) * 8 + call
 *     varint   size, unless call is IFR_LOG_FREE
 *     signed   address - last address
 *     signed   old address - address, if call is IFR_LOG_REALLOC
 *
 * where "last" is the event before in the same block, at first the block's `sequence` and address 0. A varint has
 * seven bits a byte, the lowest first, the high bit set but in the last; a signed number n is the varint
 * n < 0 ? -2n-1 : 2n. The sequence counts events of all threads and forked processes. A free's number is drawn
 * before the memory is free, an allocation's after it is taken, so that by sequence no two objects overlap. */
#define IFR_LOG_MAGIC UINT64_C(0x3030474f4c524649) /* "IFRLOG00" */
enum { IFR_LOG_BLOCK = 65536, IFR_LOG_EVENT_MOST = 40 };

enum ifr_log_call {
	IFR_LOG_MALLOC,
	IFR_LOG_CALLOC,
	IFR_LOG_REALLOC, /* address is the new one, also when the object stayed */
	IFR_LOG_ALIGNED, /* posix_memalign and its kin */
	IFR_LOG_FREE
};

struct ifr_log_head {
	uint64_t magic;
	_Atomic uint64_t blocks; /* in the file, with this one */
	_Atomic uint64_t sequence;
};

struct ifr_log_block {
	uint64_t magic;
	uint64_t thread;   /* 0: the first; else a hash of who started it as the how manieth */
	uint64_t sequence; /* "last" for the first event */
	uint32_t process;
	_Atomic uint32_t used;
};

struct ifr_log_event {
	uint64_t thread;
	uint32_t process;
	enum ifr_log_call call;
	uint64_t sequence, size, address, old;
};

/* Reads a log into events in the order of their sequence; the caller frees. Errors: IFR_E_ENVIRONMENT if it cannot
 * be read, IFR_E_USAGE if it is not a log or damaged, with the block. */
int ifr_log_read(const char *path, struct ifr_log_event **events, size_t *count, struct ifr_error *err);
/* The same from memory; origin names it in messages. */
int ifr_log_parse(const void *data, size_t length, const char *origin, struct ifr_log_event **events,
                  size_t *count, struct ifr_error *err);

#endif
