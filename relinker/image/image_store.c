/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/image/image_store.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/file.h"

enum { MOST_IMAGES = 8 };

struct entry {
	uint64_t text_bytes, interp_bytes;
	struct image *image; /* NULL: refused, for the reason in err */
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

static void fill(const struct image_store *store, struct entry *entry) {
	char *path = ifr_format("%s/image-%" PRIu64 "-%" PRIu64, store->engine->kit->dir, entry->text_bytes,
	                        entry->interp_bytes);
	if (!ifr_file_exists(path) || image_load(path, store->units, &entry->image, NULL)) {
		if (!image_prepare(store->engine, store->units, store->script, entry->text_bytes, entry->interp_bytes,
		                   &entry->image, &entry->err))
			image_save(entry->image, path, NULL);
	}
	free(path);
}

static const struct entry *find(struct image_store *store, uint64_t text_bytes, uint64_t interp_bytes) {
	for (size_t i = 0; i < store->count; i++)
		if (store->entries[i].text_bytes == text_bytes && store->entries[i].interp_bytes == interp_bytes)
			return &store->entries[i];
	if (store->count == MOST_IMAGES)
		return NULL;
	struct entry *entry = &store->entries[store->count++];
	*entry = (struct entry){.text_bytes = text_bytes, .interp_bytes = interp_bytes};
	fill(store, entry);
	return entry;
}

int image_store_get(struct image_store *store, uint64_t text_bytes, uint64_t interp_bytes,
                    const struct image **image, struct ifr_error *err) {
	pthread_mutex_lock(&store->lock);
	const struct entry *entry = find(store, text_bytes, interp_bytes);
	pthread_mutex_unlock(&store->lock);
	if (!entry)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "there are images for %d other sizes of .text already",
		                MOST_IMAGES);
	*image = entry->image;
	return entry->image ? 0 : ifr_fail(err, entry->err.code, "%s", entry->err.message);
}
