/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/image/image_store.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

enum { MOST_IMAGES = 24 };

struct entry {
	struct layout_sizes sizes;
	struct image *image; /* NULL if refused, with the reason in err */
	struct ifr_error err;
};

struct image_store {
	const struct ld_engine *engine;
	const struct units *units;
	const char *script;
	pthread_mutex_t lock;
	struct entry entries[MOST_IMAGES];
	size_t count;
};

struct image_store *image_store_new(const struct ld_engine *engine, const struct units *units,
                                    const char *script) {
	struct image_store *store = ifr_alloc(sizeof *store);
	store->engine = engine;
	store->units = units;
	store->script = script;
	pthread_mutex_init(&store->lock, NULL);
	return store;
}

void image_store_free(struct image_store *store) {
	if (!store)
		return;
	for (size_t i = 0; i < store->count; i++)
		image_close(store->entries[i].image);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

static char *image_path(const struct image_store *store, const struct layout_sizes *sizes) {
	struct ifr_buffer path = {0};
	ifr_buffer_printf(&path, "%s/image", store->engine->kit->dir);
	for (int r = 0; r < OUTPUTS; r++)
		ifr_buffer_printf(&path, "-%" PRIx64, sizes->output_bytes[r]);
	ifr_buffer_printf(&path, "-%" PRIx64, sizes->interp_bytes);
	return ifr_buffer_detach(&path);
}

static void load_or_prepare(const struct image_store *store, struct entry *entry) {
	char *path = image_path(store, &entry->sizes);
	if (!ifr_file_exists(path) || image_load(path, store->units, &entry->image, NULL)) {
		if (!image_prepare(store->engine, store->units, store->script, &entry->sizes, &entry->image, &entry->err))
			image_save(entry->image, path, NULL);
	}
	free(path);
}

static const struct entry *find_entry(struct image_store *store, const struct layout_sizes *sizes) {
	for (size_t i = 0; i < store->count; i++)
		if (!memcmp(&store->entries[i].sizes, sizes, sizeof *sizes))
			return &store->entries[i];
	if (store->count == MOST_IMAGES)
		return NULL;
	struct entry *entry = &store->entries[store->count++];
	*entry = (struct entry){.sizes = *sizes};
	load_or_prepare(store, entry);
	return entry;
}

int image_store_get(struct image_store *store, const struct layout_sizes *sizes, const struct image **image,
                    struct ifr_error *err) {
	pthread_mutex_lock(&store->lock);
	const struct entry *entry = find_entry(store, sizes);
	pthread_mutex_unlock(&store->lock);
	if (!entry)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "there are images for %d other sizes already", MOST_IMAGES);
	*image = entry->image;
	return entry->image ? 0 : ifr_fail(err, entry->err.code, "%s", entry->err.message);
}

void image_store_print_pins(struct image_store *store, struct ifr_buffer *text) {
	pthread_mutex_lock(&store->lock);
	/* Images of all sizes pin the same units: the first image with pins speaks for all. */
	for (size_t i = 0, before = text->length; i < store->count && text->length == before; i++)
		if (store->entries[i].image)
			image_print_pins(store->entries[i].image, store->units, text);
	pthread_mutex_unlock(&store->lock);
}
