/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text is refused with one line, or parsed as a recipe that prints and parses again. No file name of a recipe
 * leads out of its folder. */
#include <assert.h>
#include <string.h>

#include "compiletime/compiletime.h"
#include "tests/fuzz/target.h"

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_recipe recipe = {0}, again = {0};
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	if (ifr_recipe_parse((const char *)data, size, &recipe, &err)) {
		assert(err.code == IFR_E_USAGE && !strchr(err.message, '\n'));
	} else {
		assert(ifr_recipe_compiler_known(recipe.compiler));
		for (size_t i = 0; i < recipe.file_count; i++)
			assert(!strchr(recipe.files[i].name, '/') && strcmp(recipe.files[i].name, ".."));
		ifr_recipe_print(&recipe, &text);
		assert(!ifr_recipe_parse(text.data, text.length, &again, &err) && again.file_count == recipe.file_count);
	}
	ifr_buffer_release(&text);
	ifr_recipe_release(&recipe);
	ifr_recipe_release(&again);
	return 0;
}
