/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
	if (!memory) {
		fputs("interfero: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *ifr_alloc(size_t bytes) {
	return checked(calloc(1, bytes ? bytes : 1));
}

void *ifr_alloc_aligned(size_t bytes, size_t alignment) {
	return memset(checked(aligned_alloc(alignment, bytes)), 0, bytes);
}

void *ifr_realloc(void *old, size_t count, size_t size) {
	return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *ifr_strdup(const char *text) {
	return checked(strdup(text));
}

char *ifr_format(const char *format, ...) {
	struct ifr_buffer buffer = {0};
	va_list args;
	va_start(args, format);
	ifr_buffer_vprintf(&buffer, format, args);
	va_end(args);
	return ifr_buffer_detach(&buffer);
}

void ifr_buffer_init(struct ifr_buffer *buffer) {
	*buffer = (struct ifr_buffer){0};
}

void ifr_buffer_release(struct ifr_buffer *buffer) {
	free(buffer->data);
	ifr_buffer_init(buffer);
}

void ifr_buffer_clear(struct ifr_buffer *buffer) {
	buffer->length = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

static void reserve(struct ifr_buffer *buffer, size_t more) {
	size_t need = buffer->length + more + 1;
	if (need <= buffer->capacity)
		return;
	size_t capacity = buffer->capacity * 2 > need ? buffer->capacity * 2 : need;
	buffer->data = ifr_realloc(buffer->data, capacity, 1);
	buffer->capacity = capacity;
}

void ifr_buffer_append(struct ifr_buffer *buffer, const void *data, size_t length) {
	reserve(buffer, length);
	if (length)
		memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void ifr_buffer_puts(struct ifr_buffer *buffer, const char *text) {
	ifr_buffer_append(buffer, text, strlen(text));
}

void ifr_buffer_vprintf(struct ifr_buffer *buffer, const char *format, va_list args) {
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		reserve(buffer, (size_t)length);
		vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
}

void ifr_buffer_printf(struct ifr_buffer *buffer, const char *format, ...) {
	va_list args;
	va_start(args, format);
	ifr_buffer_vprintf(buffer, format, args);
	va_end(args);
}

const char *ifr_buffer_text(const struct ifr_buffer *buffer) {
	return buffer->data ? buffer->data : "";
}

char *ifr_buffer_detach(struct ifr_buffer *buffer) {
	char *text = buffer->data ? buffer->data : ifr_strdup("");
	ifr_buffer_init(buffer);
	return text;
}
