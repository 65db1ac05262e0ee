/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heap objects: found by address while they are live, read back as written, and placed by layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "common/random.h"
#include "model/model.h"
#include "model/record/objects.h"
#include "tests/unit/folder.h"

static uint64_t place(uint64_t region, uint64_t offset) {
	return region << IFR_MAPPING_SHIFT | offset;
}

static struct ifr_trace_writer *begin(const char *path) {
	struct ifr_trace_writer *writer;
	assert_int_equal(ifr_trace_create(path, "", &writer, NULL), 0);
	return writer;
}

static struct ifr_trace *end(struct ifr_trace_writer *writer, const char *path) {
	struct ifr_trace_totals totals;
	struct ifr_trace *trace;
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	return trace;
}

/* --- alive --------------------------------------------------------------------------------------------------- */

enum { OBJECTS = 60, FIRST = 0x10000, ROOM = 20 * 4096, ROUNDS = 20000 };

/* The oracle: object number plus one, by byte. */
struct naive {
	uint64_t start[OBJECTS], bytes[OBJECTS];
	unsigned char owner[ROOM];
};

static void fill(struct naive *naive, unsigned object, unsigned char value) {
	const uint64_t whole = (naive->bytes[object] + !naive->bytes[object] + 15) & ~UINT64_C(15);
	memset(naive->owner + naive->start[object] - FIRST, value, whole);
}

static bool is_free(const struct naive *naive, uint64_t start, uint64_t bytes) {
	for (uint64_t i = start - FIRST; i < start - FIRST + bytes + 16; i++)
		if (i >= ROOM || naive->owner[i])
			return false;
	return true;
}

/* Objects within a page, across pages and over several pages: allocated, resized and released at random. */
static void test_alive(void **state) {
	(void)state;
	static struct naive naive;
	char *path = below("alive.trace");
	struct ifr_trace_writer *writer = begin(path);
	struct objects *objects = objects_new(writer);
	uint64_t requests = 0;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		const uint64_t draw = ifr_siphash(1, 2, &round, sizeof round);
		const unsigned object = draw % OBJECTS;
		const uint64_t sizes[] = {draw >> 8 & 63, draw >> 8 & 1023, draw >> 8 & 16383};
		const uint64_t bytes = sizes[(draw >> 32) % 3], start = FIRST + (draw >> 40) % (ROOM / 16) * 16;
		const bool lives = naive.start[object];
		if (lives) {
			objects_apply_request(objects, 0, (uint64_t[]){IFR_HEAP_FREE, 0, 0, 0, naive.start[object]}, 0);
			fill(&naive, object, 0);
			naive.start[object] = 0;
			requests++;
		} else if (is_free(&naive, start, bytes)) {
			objects_apply_request(objects, 0, (uint64_t[]){IFR_HEAP_ALLOCATE, start, bytes, 16, 0}, start);
			naive.start[object] = start;
			naive.bytes[object] = bytes;
			fill(&naive, object, (unsigned char)(object + 1));
			requests++;
		}
		const uint64_t address = FIRST + (draw >> 20) % ROOM;
		const struct extent *extent = objects_find(objects, address);
		const unsigned owner = naive.owner[address - FIRST];
		assert_true(!extent == !owner);
		if (extent)
			assert_true(extent->start == naive.start[owner - 1] && address - extent->start < extent->bytes);
	}
	objects_free(objects);
	struct ifr_trace *trace = end(writer, path);
	const struct ifr_trace_request *read;
	assert_null(ifr_trace_damage(trace));
	assert_int_equal(ifr_trace_requests(trace, &read), requests);
	ifr_trace_free(trace);
	free(path);
}

/* Requests without effect are not in the trace. An object over a live one, whose release was missed, ends that
 * one. */
static void test_requests(void **state) {
	(void)state;
	const uint64_t said[][5] = {
		{IFR_HEAP_ALLOCATE, 0x5010, 100, 16, 0},       /* 0 */
		{IFR_HEAP_FREE, 0, 0, 0, 0x5020},              /* no object begins there */
		{IFR_HEAP_FREE, 0, 0, 0, 0},                   /* free(NULL) */
		{IFR_HEAP_RESIZE, 0, 1000, 16, 0x5010},        /* no memory: the object stays */
		{IFR_HEAP_RESIZE, 0x6000, 200, 16, 0x5010},    /* 1 */
		{IFR_HEAP_RESIZE, 0x7000, 10, 16, 0},          /* 2: realloc(NULL, 10) takes */
		{IFR_HEAP_ALLOCATE_ZEROED, 0x6040, 16, 16, 0}, /* 3: over the second */
		{IFR_HEAP_ALLOCATE, 0, 1, 4096, 0},            /* 4: no memory */
		{IFR_HEAP_OTHER, 0, 0, 0, 0},
		{IFR_HEAP_OTHER, 0x6040, 24, 0, 0}, /* has room for 24 bytes */
		{IFR_HEAP_FREE, 0, 0, 0, 0x7000},   /* 5 */
	};
	char *path = below("requests.trace");
	struct ifr_trace_writer *writer = begin(path);
	struct objects *objects = objects_new(writer);
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		objects_apply_request(objects, 3, said[i], said[i][1]);
	assert_null(objects_find(objects, 0x5010));
	assert_null(objects_find(objects, 0x6000));
	assert_int_equal(objects_find(objects, 0x604f)->start, 0x6040);
	assert_int_equal(objects_find(objects, 0x6050)->start, 0x6040);
	assert_null(objects_find(objects, 0x6060));
	assert_null(objects_find(objects, 0x7000));
	objects_free(objects);
	struct ifr_trace *trace = end(writer, path);
	const struct ifr_trace_request *read;
	const uint8_t requests[] = {IFR_HEAP_ALLOCATE,        IFR_HEAP_RESIZE,   IFR_HEAP_ALLOCATE,
	                            IFR_HEAP_ALLOCATE_ZEROED, IFR_HEAP_ALLOCATE, IFR_HEAP_FREE};
	const uint32_t olds[] = {IFR_NO_REQUEST, 0, IFR_NO_REQUEST, IFR_NO_REQUEST, IFR_NO_REQUEST, 2};
	assert_int_equal(ifr_trace_requests(trace, &read), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(read[i].request, requests[i]);
		assert_int_equal(read[i].old, olds[i]);
		assert_int_equal(read[i].thread, 3);
		assert_int_equal(read[i].moment, i + 1);
	}
	assert_int_equal(read[1].bytes, 200);
	assert_int_equal(read[1].recorded_at, 0x6000);
	assert_int_equal(read[4].alignment_shift, 12);
	ifr_trace_free(trace);
	free(path);
}

/* A remembered extent of the heap must not translate addresses of objects that come later. */
static void test_shared(void **state) {
	(void)state;
	const uint64_t brk[][8] = {{SYS_brk, 0x100000}, {SYS_brk, 0x121000}};
	char *path = below("shared.trace");
	struct ifr_trace_writer *writer = begin(path);
	struct address_space *space = address_space_new(writer, "/nowhere", NULL);
	address_space_apply_call(space, brk[0], "", false);
	address_space_apply_call(space, brk[1], "", false);
	const struct extent *heap = address_space_find(space, 0x100010, false);
	assert_int_equal(heap->bytes, 0x21000);
	const uint64_t delta = heap->delta;
	address_space_apply_request(space, 0, (uint64_t[]){IFR_HEAP_ALLOCATE, 0x1002a0, 64, 16, 0, 0});
	assert_int_equal(heap->bytes, 0);
	const struct extent *object = address_space_find(space, 0x1002b0, false),
						*beside = address_space_find(space, 0x100010, false);
	assert_int_equal(object->start, 0x1002a0);
	assert_true(object->mapping != beside->mapping);
	assert_true(beside->delta == delta && !beside->bytes);
	/* Outside all mappings nothing is remembered: the next address of a prefetch of null may lie in any mapping. */
	assert_int_equal(address_space_find(space, 0x140000000000, false)->bytes, 0);
	assert_int_equal(address_space_find(space, 0, false)->bytes, 0);
	address_space_apply_request(space, 0, (uint64_t[]){IFR_HEAP_ALLOCATE, 0x140000000040, 64, 16, 0, 0});
	assert_int_equal(address_space_find(space, 0x14000000007f, false)->start, 0x140000000040);
	assert_int_equal(address_space_find(space, 0x140000000080, false)->delta, 0);
	address_space_free(space);
	struct ifr_trace *trace = end(writer, path);
	const struct ifr_trace_request *read;
	assert_int_equal(ifr_trace_requests(trace, &read), 2);
	assert_true(read[0].recorded_at == 0x1002a0 + delta && read[1].recorded_at == 0x140000000040);
	ifr_trace_free(trace);
	free(path);
}

/* --- written and read ---------------------------------------------------------------------------------------- */

/* A frame with this request, behind one that took 8 bytes, and that one's number. */
static bool is_read(struct ifr_trace_request request) {
	char *path = below("odd.trace");
	struct ifr_trace_writer *writer = begin(path);
	struct ifr_trace_request first = {
		.bytes = 8, .recorded_at = 0x5000, .old = IFR_NO_REQUEST, .request = IFR_HEAP_ALLOCATE};
	ifr_trace_add_request(writer, &first);
	ifr_trace_add_request(writer, &request);
	struct ifr_trace *trace = end(writer, path);
	const bool whole = !ifr_trace_damage(trace);
	ifr_trace_free(trace);
	free(path);
	return whole;
}

/* Requests keep their sites, also across frames; beyond them none is known. */
static void test_sites(void **state) {
	(void)state;
	enum { COUNT = 5 };
	char *path = below("sites.trace");
	struct ifr_trace_writer *writer = begin(path);
	for (unsigned i = 0; i < COUNT; i++) {
		struct ifr_trace_request request = {.bytes = 8, .old = IFR_NO_REQUEST, .request = IFR_HEAP_ALLOCATE};
		ifr_trace_set_site(writer, i == 2 ? 0 : place(IFR_MAPPING_FIRST, 100 + i));
		ifr_trace_add_request(writer, &request);
	}
	struct ifr_trace *trace = end(writer, path);
	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(ifr_trace_site(trace, i), i == 2 ? 0 : place(IFR_MAPPING_FIRST, 100 + i));
	assert_int_equal(ifr_trace_site(trace, COUNT), 0);
	ifr_trace_free(trace);
	free(path);
}

static void test_nonsense(void **state) {
	(void)state;
	const struct ifr_trace_request right = {.recorded_at = 0, .old = 0, .request = IFR_HEAP_FREE};
	struct ifr_trace_request wrong = right;
	assert_true(is_read(right));
	wrong.old = 1; /* itself */
	assert_false(is_read(wrong));
	wrong.old = IFR_NO_REQUEST;
	assert_false(is_read(wrong));
	wrong = right;
	wrong.request = IFR_HEAP_ALLOCATE; /* that ends another */
	assert_false(is_read(wrong));
	wrong = right;
	wrong.request = IFR_HEAP_REQUESTS;
	assert_false(is_read(wrong));
	wrong = right;
	wrong.alignment_shift = 64;
	assert_false(is_read(wrong));
	wrong = right;
	wrong.recorded_at = place(IFR_MAPPING_FIRST + 1, 0); /* no such region */
	assert_false(is_read(wrong));
	wrong.recorded_at = place(IFR_MAPPING_FIRST, 0); /* among the objects themselves */
	assert_false(is_read(wrong));
}

/* --- laid out ------------------------------------------------------------------------------------------------ */

enum { PROGRAM = IFR_MAPPING_FIRST, HEAP, OWN, OBJECTS_REGION, LATER };

static uint64_t take(struct ifr_trace_writer *writer, uint64_t bytes, uint64_t had) {
	struct ifr_trace_request request = {
		.bytes = bytes, .recorded_at = had, .old = IFR_NO_REQUEST, .request = IFR_HEAP_ALLOCATE};
	ifr_trace_add_request(writer, &request);
	return request.normalised;
}

static void release(struct ifr_trace_writer *writer, uint32_t old) {
	struct ifr_trace_request request = {.old = old, .request = IFR_HEAP_FREE};
	ifr_trace_add_request(writer, &request);
}

/* An object in the heap, one in a mapping of the allocator, one at an address. Then the second is released, and
 * the program maps memory itself. */
static struct ifr_trace *make_trace(uint64_t places[3]) {
	char *path = below("laid.trace");
	struct ifr_trace_writer *writer = begin(path);
	ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_PROGRAM, .bytes = 0x5000});
	ifr_trace_start_program(writer);
	ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_HEAP, .bytes = 0x21000});
	ifr_trace_add_mapping(
		writer, &(struct ifr_mapping){.kind = IFR_MAPPING_ANONYMOUS, .bytes = 0x40000, .allocator = true});
	places[0] = take(writer, 100, place(HEAP, 0x2a0));
	places[1] = take(writer, 0x3f000, place(OWN, 0x10));
	places[2] = take(writer, 16, 0x140000001230);
	ifr_trace_close_mapping(writer, OWN);
	release(writer, 1);
	ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_ANONYMOUS, .bytes = 0x10000});
	struct ifr_trace *trace = end(writer, path);
	assert_null(ifr_trace_damage(trace));
	free(path);
	return trace;
}

/* Without an allocator in the layout, objects keep their positions in the native mappings. */
static void test_as_recorded(void **state) {
	(void)state;
	uint64_t places[3];
	struct ifr_trace *trace = make_trace(places);
	struct ifr_address_map *map = ifr_address_map_new(trace, &(struct ifr_layout_request){.end_bytes = 0x1000});
	/* The heap begins a page later than the program of five pages ends; six pages are the kernel's. */
	assert_int_equal(ifr_address_of(map, places[0]), 0x55555555a2a0);
	assert_int_equal(ifr_address_of(map, places[0] + 99), 0x55555555a303);
	assert_int_equal(ifr_address_of(map, places[1]), 0x7ffff7fff000 - 0x6000 - 0x40000 + 0x10);
	assert_int_equal(ifr_address_of(map, places[2] + 8), 0x140000001238);
	/* Vector accesses reach beyond both ends. */
	assert_int_equal(ifr_address_of(map, places[2] - 32), 0x140000001210);
	assert_int_equal(ifr_address_of(map, places[0] + 100 + 63), 0x55555555a343);
	assert_int_equal(ifr_address_of(map, place(LATER, 0)), 0x7ffff7fff000 - 0x6000 - 0x10000);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
}

/* With an allocator in the layout, its mapping exists while the object does; the recorded one does not. */
static void test_elsewhere(void **state) {
	(void)state;
	uint64_t places[3];
	struct ifr_trace *trace = make_trace(places);
	const struct ifr_object_place put[4] = {
		{.home = IFR_OBJECT_IN_MAPPING, .offset = 0x40, .mapping_bytes = 0x2000},
		{.home = IFR_OBJECT_AT_ADDRESS, .offset = 0x150000000700},
		{.home = IFR_OBJECT_IN_HEAP, .offset = 0x2c0}};
	struct ifr_address_map *map = ifr_address_map_new(trace, &(struct ifr_layout_request){.objects = put});
	struct ifr_address_map *same = ifr_address_map_new(trace, &(struct ifr_layout_request){.objects = put});
	struct ifr_address_map *own = ifr_address_map_new(trace, &(struct ifr_layout_request){.end_bytes = 0});
	assert_int_equal(ifr_address_of(map, places[0]), 0x7ffff7fff000 - 0x6000 - 0x2000 + 0x40);
	assert_int_equal(ifr_address_of(map, places[1] + 0x3efff), 0x15000003f6ff);
	assert_int_equal(ifr_address_of(map, places[2]), 0x5555555592c0);
	assert_int_equal(ifr_address_of(map, place(LATER, 0)), 0x7ffff7fff000 - 0x6000 - 0x2000 - 0x10000);
	assert_true(ifr_address_maps_share_data(map, same));
	assert_false(ifr_address_maps_share_data(map, own));
	ifr_address_map_free(map);
	ifr_address_map_free(same);
	ifr_address_map_free(own);
	ifr_trace_free(trace);
}

/* Many objects of very different sizes: each byte of each translates with its object. */
static void test_many(void **state) {
	(void)state;
	enum { MANY = 3000 };
	static uint64_t places[MANY], sizes[MANY];
	char *path = below("many.trace");
	struct ifr_trace_writer *writer = begin(path);
	for (uint64_t i = 0; i < MANY; i++) {
		sizes[i] = ifr_siphash(5, 6, &i, sizeof i) >> (i % 97 ? 56 : 36);
		places[i] = take(writer, sizes[i], UINT64_C(1) << 32 | i << 16);
	}
	struct ifr_trace *trace = end(writer, path);
	struct ifr_address_map *map = ifr_address_map_new(trace, &(struct ifr_layout_request){.end_bytes = 0});
	for (uint64_t i = 0; i < MANY; i++) {
		const uint64_t last = sizes[i] ? sizes[i] - 1 : 0;
		assert_int_equal(ifr_address_of(map, places[i]), UINT64_C(1) << 32 | i << 16);
		assert_int_equal(ifr_address_of(map, places[i] + last), (UINT64_C(1) << 32 | i << 16) + last);
	}
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	free(path);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alive),       cmocka_unit_test(test_requests), cmocka_unit_test(test_shared),
		cmocka_unit_test(test_nonsense),    cmocka_unit_test(test_sites),    cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_as_recorded), cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
