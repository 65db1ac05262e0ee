/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "model/trace/reader.h"

enum { ALIGNMENT_SHIFT_MOST = 46 };

/* Checks that an object lies behind the one before it, in a mapping of objects. */
static bool check_position(const struct ifr_trace *trace, const struct ifr_trace_request *request) {
	const uint64_t mapping = request->normalised >> IFR_MAPPING_SHIFT,
				   offset = request->normalised & IFR_OFFSET_MASK;
	const uint64_t had = request->recorded_at >> IFR_MAPPING_SHIFT;
	uint64_t before = 0;
	if (trace->request_count)
		before = trace->requests[trace->request_count - 1].normalised;
	return mapping < trace->mapping_count && had < trace->mapping_count &&
	       trace->mappings[had].kind != IFR_MAPPING_OBJECTS &&
	       trace->mappings[mapping].kind == IFR_MAPPING_OBJECTS && offset >= IFR_OBJECT_MARGIN &&
	       offset <= trace->mappings[mapping].bytes && request->normalised >= before + 2 * IFR_OBJECT_MARGIN;
}

static bool check_end(const struct ifr_trace *trace, const struct ifr_trace_request *request) {
	const bool ends = request->request == IFR_HEAP_RESIZE || request->request == IFR_HEAP_FREE;
	if (!ends)
		return request->old == IFR_NO_REQUEST;
	return request->old < trace->request_count && trace->requests[request->old].recorded_at &&
	       !trace->ended[request->old];
}

bool trace_read_requests(struct ifr_trace *trace, size_t length) {
	for (size_t at = 0; at < length; at += sizeof(struct ifr_trace_request)) {
		struct ifr_trace_request request;
		if (length - at < sizeof request)
			return false;
		memcpy(&request, trace->raw + at, sizeof request);
		if (!request.request || request.request >= IFR_HEAP_REQUESTS ||
		    request.alignment_shift > ALIGNMENT_SHIFT_MOST || !check_position(trace, &request) ||
		    !check_end(trace, &request))
			return false;
		trace->requests =
			trace_grow(trace->requests, trace->request_count, 1, sizeof *trace->requests, &trace->request_room);
		trace->ended = trace_grow(trace->ended, trace->request_count, 1, sizeof *trace->ended, &trace->ended_room);
		trace->ended[trace->request_count] = false;
		if (request.old != IFR_NO_REQUEST)
			trace->ended[request.old] = true;
		trace->requests[trace->request_count++] = request;
	}
	return true;
}

bool trace_read_sites(struct ifr_trace *trace, size_t length) {
	const size_t count = length / sizeof *trace->sites;
	if (length % sizeof *trace->sites || trace->site_count + count > trace->request_count)
		return false;
	trace->sites = trace_grow(trace->sites, trace->site_count, count, sizeof *trace->sites, &trace->site_room);
	if (count)
		memcpy(trace->sites + trace->site_count, trace->raw, length);
	trace->site_count += count;
	return true;
}

uint64_t ifr_trace_site(const struct ifr_trace *trace, size_t request) {
	return request < trace->site_count ? trace->sites[request] : 0;
}

size_t ifr_trace_requests(const struct ifr_trace *trace, const struct ifr_trace_request **requests) {
	*requests = trace->requests;
	return trace->request_count;
}
