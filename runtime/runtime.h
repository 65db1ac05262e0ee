/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the runtime (libinterfero.so) in the measured process and the tools outside: the report
 * page, requests to the player, and the allocation log.
 *
 * The runtime is preloaded or linked in; environment variables set its options (options.h has the table). It fails
 * open: an option that cannot be applied leaves the program running and is reported on the page. A program that
 * never loads it, such as a static one, leaves the page unchanged. */
#ifndef IFR_RUNTIME_H
#define IFR_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/recorder_marks.h"

/* --- the report page
 *
 * The launcher creates a file of IFR_REPORT_BYTES, writes the magic number and a nonce, lets the program inherit
 * the descriptor, and passes "DESCRIPTOR:NONCE" (decimal) as the setting `report`. The first process that finds
 * magic number and nonce there maps the page and closes the descriptor. All counts are of that process and its
 * forks. */
#define IFR_REPORT_MAGIC UINT64_C(0x3054504552524649) /* "IFRREPT0" */
enum { IFR_REPORT_BYTES = 4096, IFR_REGIONS = 24, IFR_REGION_NAME = 40, IFR_REGION_EVENTS = 9 };
/* First descriptor of the perf events that regions count, which the program inherits. */
enum { IFR_EVENT_FD = 910 };

enum ifr_report_applied {
	IFR_APPLIED_RUNTIME = 1 << 0, /* the runtime was loaded and has read its options */
	IFR_APPLIED_HEAP = 1 << 1,
	IFR_APPLIED_BLOCKS = 1 << 2,
	IFR_APPLIED_STACK = 1 << 3,
	IFR_APPLIED_LOG = 1 << 4,
	IFR_APPLIED_ADDRESS = 1 << 5, /* the arena begins at its preferred address */
	IFR_APPLIED_TEXT = 1 << 6     /* huge pages hold the program's text */
};

struct ifr_region_sum {
	char name[IFR_REGION_NAME];
	_Atomic uint64_t entries;     /* completed passes */
	_Atomic uint64_t cycles;      /* time-stamp counter cycles, summed over passes */
	_Atomic uint64_t time_ns;     /* CLOCK_MONOTONIC, summed over passes */
	_Atomic uint64_t events_lost; /* passes in which an event could not be read */
	_Atomic uint64_t events[IFR_REGION_EVENTS];
};

struct ifr_runtime_report {
	uint64_t magic, nonce;
	_Atomic uint32_t applied;   /* enum ifr_report_applied, or-ed */
	_Atomic uint32_t elsewhere; /* requests that an axis should have placed and that went to glibc */
	char refused[160];          /* the first setting that could not be applied, and why; "" if all were */
	_Atomic uint32_t regions;   /* regions in use */
	struct ifr_region_sum region[IFR_REGIONS];
};
_Static_assert(sizeof(struct ifr_runtime_report) <= IFR_REPORT_BYTES, "the report fits its page");

/* --- requests to the player
 *
 * The player (libexec) reads an array of these on standard input, which is a file, and writes the position of each
 * object into it. */
enum ifr_play_home {
	IFR_PLAY_FIXED,   /* at its address, in the arena; 0: no memory */
	IFR_PLAY_HEAP,    /* at an offset in the memory of brk */
	IFR_PLAY_MAPPING, /* at an offset in a mapping of its own */
};
struct ifr_play_request {
	uint64_t bytes, alignment;
	uint32_t old;     /* the earlier request whose object this one ends; any other number: none */
	uint32_t request; /* enum ifr_heap_request */
	uint64_t address; /* the answer begins here */
	uint64_t offset, mapping_bytes;
	uint64_t home; /* enum ifr_play_home */
};

/* --- the allocation log
 *
 * The log is a file of blocks of IFR_LOG_BLOCK bytes, in the machine's byte order. Block 0 holds only struct
 * ifr_log_head. Every other block belongs to one thread of one process: struct ifr_log_block, then `used` bytes of
 * events. The log of a killed program is complete up to its last event. An event is
 *
 *     varint   (sequence - last sequence) * 8 + call
 *     varint   size, unless call is IFR_LOG_FREE
 *     signed   address - last address
 *     signed   old address - address, if call is IFR_LOG_REALLOC
 *
 * "last" means the event before in the same block; at first it is the block's `sequence` and address 0. A varint
 * has seven bits a byte, lowest first; the high bit is set in all bytes but the last. A signed number n is the
 * varint n < 0 ? -2n-1 : 2n.
 *
 * The sequence counts the events of all threads and forked processes. A free draws its number before the memory is
 * free, an allocation after it has its memory, so that no two objects overlap in the order of the sequence. */
#define IFR_LOG_MAGIC UINT64_C(0x3030474f4c524649) /* "IFRLOG00" */
enum { IFR_LOG_BLOCK = 65536, IFR_LOG_EVENT_MOST = 40 };

enum ifr_log_call {
	IFR_LOG_MALLOC,
	IFR_LOG_CALLOC,
	IFR_LOG_REALLOC, /* address is the new one, even if the object did not move */
	IFR_LOG_ALIGNED, /* posix_memalign, memalign and alike */
	IFR_LOG_FREE
};

struct ifr_log_head {
	uint64_t magic;
	_Atomic uint64_t blocks; /* blocks in the file, including this one */
	_Atomic uint64_t sequence;
};

struct ifr_log_block {
	uint64_t magic;
	uint64_t thread;   /* 0: the first; else a hash of its parent and its number among the parent's children */
	uint64_t sequence; /* "last" of the first event */
	uint32_t process;
	_Atomic uint32_t used;
};

struct ifr_log_event {
	uint64_t thread;
	uint32_t process;
	enum ifr_log_call call;
	uint64_t sequence, size, address, old;
};

/* Reads a log and sorts its events by sequence number; the caller frees them. Errors: IFR_E_ENVIRONMENT if the
 * file cannot be read; IFR_E_USAGE, with the block, if it is no log or damaged. */
int ifr_log_read(const char *path, struct ifr_log_event **events, size_t *count, struct ifr_error *err);
/* Parses a log in memory. origin: its name in messages. */
int ifr_log_parse(const void *data, size_t length, const char *origin, struct ifr_log_event **events,
                  size_t *count, struct ifr_error *err);

#endif
