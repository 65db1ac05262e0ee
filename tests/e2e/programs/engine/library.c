/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of every visibility, called and pointed to from inside. */
int counter;
int visible(int x);
int visible_too(int x);
int hidden(int x);
int guarded(int x);

__attribute__((visibility("hidden"))) int hidden(int x) {
	return x * 2;
}

static int local(int x) {
	return x - 1;
}

__attribute__((visibility("protected"))) int guarded(int x) {
	return hidden(x) + 1;
}

int (*pointers[])(int) = {visible_too, hidden, local, guarded};

int visible(int x) {
	counter++;
	return pointers[x & 3](x) + guarded(x) + visible_too(x);
}

int visible_too(int x) {
	return x < 0 ? 0 : local(x);
}
