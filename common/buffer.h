/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing array of bytes with a NUL behind it. Running out of memory ends the process, which is never the measured
 * program. */
#ifndef IFR_COMMON_BUFFER_H
#define IFR_COMMON_BUFFER_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ifr_buffer {
	char *data;    /* NULL until bytes are added, then NUL-terminated */
	size_t length; /* bytes, without the NUL */
	size_t capacity;
};

void ifr_buffer_init(struct ifr_buffer *buffer);
void ifr_buffer_release(struct ifr_buffer *buffer);
void ifr_buffer_clear(struct ifr_buffer *buffer);
void ifr_buffer_append(struct ifr_buffer *buffer, const void *data, size_t length);
void ifr_buffer_puts(struct ifr_buffer *buffer, const char *text);
void ifr_buffer_printf(struct ifr_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ifr_buffer_vprintf(struct ifr_buffer *buffer, const char *format, va_list args);

/* The text, "" for an empty buffer; valid until the buffer changes. */
const char *ifr_buffer_text(const struct ifr_buffer *buffer);
/* Hands the text over to the caller, who frees it, and leaves the buffer empty. */
char *ifr_buffer_detach(struct ifr_buffer *buffer);

/* malloc, realloc, strdup and printf-to-heap that never return NULL. */
void *ifr_alloc(size_t bytes); /* zeroed */
/* Zeroed; alignment is a power of two, bytes a multiple of it. */
void *ifr_alloc_aligned(size_t bytes, size_t alignment);
void *ifr_realloc(void *old, size_t count, size_t size); /* count*size bytes, overflow checked */
char *ifr_strdup(const char *text);
char *ifr_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
