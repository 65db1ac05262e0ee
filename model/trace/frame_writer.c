/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/buffer.h"
#include "common/random.h"
#include "model/trace/frames.h"
#include "model/trace/trace.h"

/* The fast level of zstd: compression bounds the speed of recording. */
enum { LEVEL = 1, QUEUE = 4 };

/* A queued frame: a sequence, or data. Its memory stays with it until it is filled again. */
struct raw_frame {
	struct trace_frame head;
	char *data;
	size_t room;
	struct raw_sequence sequence;
};

/* Memory to be compressed. */
struct frame_part {
	const void *data;
	size_t bytes;
};
enum { FRAME_PARTS = 1 + RAW_PARTS };

struct frame_writer {
	char *path, *temporary;
	FILE *file;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct raw_frame queue[QUEUE];
	unsigned first, count;
	bool ends;
	struct ifr_error err; /* first error of the thread */
	_Atomic bool failed;
	_Atomic uint64_t bytes, limit; /* written; 0: no limit */
	struct sequence_encoder *encoder;
	ZSTD_CCtx *zstd;
	char *stored;
	size_t stored_room;
};

uint64_t frame_checksum(const struct trace_frame *head, const void *stored) {
	struct trace_frame clean = *head;
	clean.checksum = 0;
	uint64_t seed = ifr_siphash(TRACE_KEY_0, TRACE_KEY_1, &clean, sizeof clean);
	return ifr_siphash(seed, TRACE_KEY_1, stored, head->stored_bytes);
}

/* Finds the parts of the payload; codes those of a sequence frame. */
static void find_parts(struct frame_writer *writer, struct raw_frame *frame, struct frame_part *parts) {
	const struct raw_sequence *sequence = &frame->sequence;
	if (frame->head.type != TRACE_SEQUENCE) {
		parts[0] = (struct frame_part){frame->data, frame->head.raw_bytes};
		return;
	}
	parts[0].data = sequence_encode(writer->encoder, sequence, &parts[0].bytes);
	frame->head.sequence_bytes = frame->head.raw_bytes = parts[0].bytes;
	frame->head.token_bytes = sequence->part_bytes[RAW_TOKENS];
	frame->head.offset_bytes = sequence->part_bytes[RAW_OFFSETS];
	for (unsigned i = 0; i < RAW_PARTS; i++) {
		parts[1 + i] = (struct frame_part){sequence->parts[i], sequence->part_bytes[i]};
		frame->head.raw_bytes += sequence->part_bytes[i];
	}
}

/* Compresses the parts one behind the other. Returns the compressed bytes, or an error of zstd. */
static size_t compress_parts(struct frame_writer *writer, const struct frame_part *parts) {
	size_t bound = 0, at = 0;
	for (unsigned i = 0; i < FRAME_PARTS; i++)
		bound += ZSTD_compressBound(parts[i].bytes);
	if (bound > writer->stored_room) {
		writer->stored_room = bound;
		writer->stored = ifr_realloc(writer->stored, bound, 1);
	}
	for (unsigned i = 0; i < FRAME_PARTS; i++) {
		if (!parts[i].bytes)
			continue;
		const size_t got = ZSTD_compressCCtx(writer->zstd, writer->stored + at, writer->stored_room - at,
		                                     parts[i].data, parts[i].bytes, LEVEL);
		if (ZSTD_isError(got))
			return got;
		at += got;
	}
	return at;
}

static void write_frame(struct frame_writer *writer, struct raw_frame *frame) {
	struct frame_part parts[FRAME_PARTS] = {0};
	find_parts(writer, frame, parts);
	const size_t got = compress_parts(writer, parts);
	if (ZSTD_isError(got)) {
		ifr_fail(&writer->err, IFR_E_BUG, "zstd refuses a part of the trace: %s", ZSTD_getErrorName(got));
		return;
	}
	frame->head.stored_bytes = got;
	frame->head.checksum = frame_checksum(&frame->head, writer->stored);
	if (fwrite(&frame->head, sizeof frame->head, 1, writer->file) != 1 ||
	    fwrite(writer->stored, 1, got, writer->file) != got) {
		ifr_fail_errno(&writer->err, IFR_E_ENVIRONMENT, "cannot write the trace %s", writer->path);
		return;
	}
	const uint64_t limit = atomic_load(&writer->limit), more = sizeof frame->head + got,
				   bytes = atomic_fetch_add(&writer->bytes, more) + more;
	if (limit && bytes > limit)
		ifr_fail(
			&writer->err, IFR_E_PROGRAM,
			"the trace %s exceeds %.4g MB, the most that it may have: allow more (--max-size), or give the program "
			"less to do",
			writer->path, (double)limit / 1e6);
}

static void *write_frames(void *data) {
	struct frame_writer *writer = data;
	pthread_mutex_lock(&writer->lock);
	for (;;) {
		while (!writer->count && !writer->ends)
			pthread_cond_wait(&writer->changed, &writer->lock);
		if (!writer->count)
			break;
		struct raw_frame *frame = &writer->queue[writer->first];
		pthread_mutex_unlock(&writer->lock);
		if (!writer->err.code)
			write_frame(writer, frame);
		writer->failed = writer->err.code != 0;
		pthread_mutex_lock(&writer->lock);
		writer->first = (writer->first + 1) % QUEUE;
		writer->count--;
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

static int open_file(struct frame_writer *writer, struct ifr_error *err) {
	struct trace_head head = {.magic = TRACE_MAGIC, .version = IFR_TRACE_VERSION};
	struct stat old;
	if (!stat(writer->path, &old) && !S_ISREG(old.st_mode))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not a file: name another for the trace", writer->path);
	writer->file = fopen(writer->temporary, "wbe");
	if (!writer->file || fwrite(&head, sizeof head, 1, writer->file) != 1 || fflush(writer->file))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the trace %s", writer->path);
	if (pthread_create(&writer->thread, NULL, write_frames, writer))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "cannot start a thread that compresses the trace");
	return 0;
}

static void release(struct frame_writer *writer) {
	for (unsigned i = 0; i < QUEUE; i++) {
		free(writer->queue[i].data);
		free(writer->queue[i].sequence.executions);
		for (unsigned k = 0; k < RAW_PARTS; k++)
			free(writer->queue[i].sequence.parts[k]);
	}
	ZSTD_freeCCtx(writer->zstd);
	sequence_encoder_free(writer->encoder);
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->changed);
	free(writer->stored);
	free(writer->path);
	free(writer->temporary);
	free(writer);
}

int frame_writer_open(const char *path, struct frame_writer **out, struct ifr_error *err) {
	struct frame_writer *writer = ifr_alloc(sizeof *writer);
	writer->path = ifr_strdup(path);
	writer->temporary = ifr_format("%s.part-%ld", path, (long)getpid());
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->changed, NULL);
	writer->zstd = ZSTD_createCCtx();
	writer->encoder = sequence_encoder_new();
	int result = open_file(writer, err);
	if (result) {
		if (writer->file) {
			fclose(writer->file);
			unlink(writer->temporary);
		}
		release(writer);
		return result;
	}
	*out = writer;
	return 0;
}

/* Waits for a free entry of the queue; submit_entry hands it over to the thread. */
static struct raw_frame *find_entry(struct frame_writer *writer) {
	pthread_mutex_lock(&writer->lock);
	while (writer->count == QUEUE)
		pthread_cond_wait(&writer->changed, &writer->lock);
	struct raw_frame *frame = &writer->queue[(writer->first + writer->count) % QUEUE];
	pthread_mutex_unlock(&writer->lock);
	return frame;
}

static void submit_entry(struct frame_writer *writer) {
	pthread_mutex_lock(&writer->lock);
	writer->count++;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
}

void frame_write(struct frame_writer *writer, enum trace_frame_type type, const void *data, size_t length) {
	struct raw_frame *frame = find_entry(writer);
	if (length > frame->room) {
		frame->room = length + length / 2;
		frame->data = ifr_realloc(frame->data, frame->room, 1);
	}
	if (length)
		memcpy(frame->data, data, length);
	frame->head = (struct trace_frame){.type = type, .sequence_bytes = length, .raw_bytes = length};
	submit_entry(writer);
}

void frame_write_sequence(struct frame_writer *writer, struct raw_sequence *sequence) {
	struct raw_frame *frame = find_entry(writer);
	const struct raw_sequence earlier = frame->sequence;
	frame->sequence = *sequence;
	frame->head = (struct trace_frame){.type = TRACE_SEQUENCE, .executions = (uint32_t)sequence->execution_count};
	*sequence = earlier;
	submit_entry(writer);
}

void frame_writer_limit(struct frame_writer *writer, uint64_t bytes) {
	writer->limit = bytes;
}

uint64_t frame_writer_bytes(const struct frame_writer *writer) {
	return writer->bytes;
}

bool frame_writer_failed(const struct frame_writer *writer) {
	return writer->failed;
}

int frame_writer_close(struct frame_writer *writer, bool discard, struct ifr_error *err) {
	pthread_mutex_lock(&writer->lock);
	writer->ends = true;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	int result = 0;
	if ((fclose(writer->file) || (!writer->err.code && !discard && rename(writer->temporary, writer->path))) &&
	    !writer->err.code)
		ifr_fail_errno(&writer->err, IFR_E_ENVIRONMENT, "cannot write the trace %s", writer->path);
	if (writer->err.code)
		result = ifr_fail(err, writer->err.code, "%s", writer->err.message);
	if (result || discard)
		unlink(writer->temporary);
	release(writer);
	return result;
}
