# SPDX-License-Identifier: GPL-3.0-or-later
# Layouts of a shared library, measured in a program that uses it. The program prints the file that its library was
# loaded from, and where a function of it lies: each layout's run must show its own.

load ../helpers

setup_file() {
	use_own_kits
}

teardown_file() {
	drop_own_kits
}

setup() {
	use_own_folder
	cat >lib.c <<-'EOT'
		int one(int), two(int), three(int);
		int one(int x) { return x + 1; }
		int two(int x) { return x * 2; }
		int three(int x) { return x * 3; }
	EOT
	cat >user.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		int one(int), two(int), three(int);
		int main(int argc, char **argv) {
			Dl_info info;
			(void)argv;
			dladdr((void *)two, &info);
			if (argc > 1) {
				FILE *file = fopen(argv[1], "a");
				fprintf(file, "%s %lx\n", info.dli_fname, (unsigned long)((char *)two - (char *)info.dli_fbase));
				fclose(file);
			}
			return printf("%d\n", one(two(three(argc)))) < 0;
		}
	EOT
	interfero-gcc -O2 -ffunction-sections -fPIC -shared -Wl,-soname,liblib.so.1 lib.c -o liblib.so.1
	ln -s liblib.so.1 liblib.so
}

# each_layout_ran WAY: the log has every variant's own file and place of the function.
each_layout_ran() {
	local variant place
	[ "$(interfero report --json e.exp | jq -r '.facts["library by"]')" = "$1" ]
	for variant in v0000{0,1,2,3}; do
		place=$(nm e.exp.variants/$variant | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
		grep -q "/$variant.lib/liblib.so.1 $place\$" log || say "$variant did not run: $(cat log)"
	done
	[ "$(cut -d' ' -f1 log | sort -u | wc -l)" -eq 4 ]
}

@test "by LD_LIBRARY_PATH, where the program looks there" {
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	# Without -o, the experiment has the library's name: the program has one of its own.
	interfero bench -q -n 3 -r 2 --keep --library ./liblib.so.1 -- ./user "$PWD/log"
	[ ! -e user.exp ]
	mv liblib.so.1.exp e.exp
	mv liblib.so.1.exp.variants e.exp.variants
	each_layout_ran LD_LIBRARY_PATH
}

@test "by LD_PRELOAD, where the program has a place of its own for its libraries" {
	gcc -O2 user.c -L. -llib -Wl,--disable-new-dtags,-rpath,"$PWD" -o user
	interfero bench -q -n 3 -r 2 --keep --library ./liblib.so.1 -o e.exp -- ./user "$PWD/log"
	each_layout_ran LD_PRELOAD
}

@test "each repetition has a copy of the library; libraries of the program's own keep their files, and are named" {
	local variant
	echo 'int more(int x); int more(int x) { return x; }' >more.c
	gcc -O2 -fPIC -shared -Wl,-soname,libmore.so.2 more.c -o libmore.so.2
	ln -s libmore.so.2 libmore.so
	cat >noting.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <sys/stat.h>
		int two(int), more(int);
		int main(int argc, char **argv) {
			Dl_info info;
			struct stat status;
			FILE *file = fopen(argv[1], "a");
			dladdr((void *)two, &info);
			if (!file || stat(info.dli_fname, &status))
				return 1;
			fprintf(file, "%s %lu\n", info.dli_fname, (unsigned long)status.st_ino);
			return fclose(file) || more(two(argc)) != 4;
		}
	EOT
	gcc -O2 noting.c -L. -llib -lmore -Wl,-rpath,"$PWD" -o noting
	interfero bench -q --counters clock -n 2 -r 3 --library ./liblib.so.1 -o e.exp -- ./noting "$PWD/log"
	for variant in v0000{1,2}; do
		[ "$(grep "/$variant.lib/" log | cut -d' ' -f2 | uniq | wc -l)" -eq 3 ] || say "$(cat log)"
	done
	[ "$(interfero report --json e.exp | jq -r '.facts["own libraries"]')" = "$PWD/libmore.so.2" ]
	interfero report e.exp | tr -s ' \n' '  ' | grep -q "the files of the program's own libraries ($PWD/libmore.so.2)"
	# A program without such libraries names none.
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	interfero bench -q --counters clock -n 2 -r 2 --library ./liblib.so.1 -o f.exp -- ./user
	[ "$(interfero report --json f.exp | jq -r '.facts["own libraries"]')" = null ]
}

@test "the program itself is not laid out anew, and needs no kit" {
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	run interfero bench -n 3 -r 2 --library ./liblib.so.1 -o e.exp -- ./user
	[ "$status" -eq 0 ] && [[ $output == *"Layouts of ./liblib.so.1"* ]] || say "$output"
	run -2 interfero bench -n 3 -r 2 -a functions -o f.exp -- ./user
	[[ $output == *"user has no kit"* ]]
}

@test "what cannot be led to the variants is refused before anything is measured" {
	run interfero bench -n 3 -r 2 --library ./liblib.so.1 -o e.exp -- /bin/true
	[ "$status" -eq 2 ] && [[ $output == *"cannot be led to variants of liblib.so.1"* ]] || say "$output"
	echo 'int main(void) { return 0; }' >static.c
	gcc -static static.c -o static
	run interfero bench -n 3 -r 2 --library ./liblib.so.1 -o e.exp -- ./static
	[ "$status" -eq 2 ] && [[ $output == *"no dynamically linked program"* ]] || say "$output"
	gcc user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	run interfero bench -n 3 -r 2 --library ./nosuch.so -o e.exp -- ./user
	[ "$status" -eq 2 ] && [[ $output == *"there is no library ./nosuch.so"* ]] || say "$output"
	[ ! -e e.exp ]
}

@test "a library's layout, or another build of it, is run once in its user" {
	local place
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	# By nanoseconds: two layouts may have the same processor time, and then none is the fastest.
	interfero bench -c clock -m duration_time -n 2 -r 2 --keep --library ./liblib.so.1 -o e.exp -- ./user >text
	grep -q 'the next runs the program in it' <(tr -s ' \n' '  ' <text)
	# The pasted command: with the function where the kept variant has it.
	sed -n '/^    interfero run/,/-- /p' text | sed "s,./user,./user $PWD/log," >command
	sh ./command >out
	place=$(nm e.exp.variants/v0000"$(sed -n 's/.* -n \([12]\) .*/\1/p' command)" | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
	grep -q " $place\$" log || say "$(cat command log)"
	[ "$(cat out)" = 13 ]
	# As it is, by a file of its own in the place of the one that the user finds.
	mkdir new
	sed 's/return x \* 2/return x * 5/' lib.c | gcc -O2 -fPIC -shared -Wl,-soname,liblib.so.1 -x c - -o new/liblib.so.1
	[ "$(interfero run --library new/liblib.so.1 -- ./user)" = 16 ]
	# Its mapping is of the file itself, where perf report finds symbols behind the run.
	cat >maps.c <<-'EOT'
		#include <stdio.h>
		#include <string.h>
		int two(int);
		int main(void) {
			char line[4096];
			FILE *maps = fopen("/proc/self/maps", "r");
			while (two(0) == 0 && fgets(line, sizeof line, maps))
				if (strstr(line, "liblib.so.1"))
					fputs(strchr(line, '/'), stdout);
			return 0;
		}
	EOT
	gcc -O2 maps.c -L. -llib -Wl,-rpath,"$PWD" -o maps
	[ "$(interfero run --library new/liblib.so.1 -- ./maps | sort -u)" = "$PWD/new/liblib.so.1" ]
	refuse 2 "there is no library" -- interfero run --library nosuch.so -- ./user
	refuse 2 "which layout" -- interfero run -- ./user
}

# variant_counters N: the counters of a recording of the user with variant N of the library, as the campaign would lead it
# there: by a path of the same length.
variant_counters() {
	local folder path length
	length=$(interfero trace info m.exp.trace | sed -n 's/^environment LD_LIBRARY_PATH=//p' | tr -d '\n' | wc -c)
	interfero report --json m.exp | jq -r ".variants[] | select(.name == \"v0000$1\") | .plan" >"$1.plan"
	folder=$PWD/f$1
	mkdir "$folder"
	interfero variants -q --plan "$1.plan" -o "made$1" ./liblib.so.1
	cp "$(find "made$1" -name 'v*' ! -name '*.plan' ! -name v00000 | head -n 1)" "$folder/liblib.so.1"
	path=$folder
	while [ ${#path} -lt "$length" ]; do path=/$path; done
	interfero record -q -o "$1.trace" --env "LD_LIBRARY_PATH=$path" -- ./user >/dev/null
	interfero replay --json "$1.trace" | jq -c '.layouts[].counters'
}

@test "the model lays out the library in a recording of its user, exactly where code moves" {
	local n
	# Its behaviour does not depend on addresses, as that of dladdr does.
	echo 'int two(int), three(int); int main(void) { int s = 0; for (int i = 0; i < 5000; i++) s += two(three(i)); return s == 7; }' >user.c
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	within 60 interfero bench -q -c model -a functions -n 2 --library ./liblib.so.1 -o m.exp -- ./user
	for n in $(up_to 1 2); do
		[ "$(variant_counters "$n")" = "$(interfero replay --json --plan "$n.plan" m.exp.trace | jq -c '.layouts[].counters')" ] ||
			say "layout $n"
	done
	[ "$(interfero replay -n 8 --axes functions,padding --json m.exp.trace | jq -c '.layouts[].counters' | sort -u | wc -l)" -gt 1 ]
}

@test "two versions of a library are compared under one program" {
	gcc -O2 user.c -L. -llib -Wl,-rpath,"$PWD" -o user
	mkdir new
	sed 's/return x \* 2/for (volatile int i = 0; i < 100; i++); return x * 2/' lib.c >new/lib.c
	interfero-gcc -O2 -ffunction-sections -fPIC -shared -Wl,-soname,liblib.so.1 new/lib.c -o new/liblib.so.1
	within 60 interfero compare -q --library -c clock -n 2 -r 2 --keep -o e.exp liblib.so.1 new/liblib.so.1 -- ./user "$PWD/log" || [ $? = 1 ]
	for variant in {v,w}0000{0,1,2}; do
		place=$(nm e.exp.variants/$variant | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
		grep -q "/$variant.lib/liblib.so.1 $place\$" log || say "$variant did not run: $(cat log)"
	done
	within 60 interfero compare --json --library -c model -n 2 -o m.exp liblib.so.1 new/liblib.so.1 -- ./user >m.json || [ $? = 1 ]
	# Five instructions a round, or thereabouts, in both layouts.
	jq -e '[.. | .same_instructions? // empty] | length == 0' m.json
	a=$(interfero trace info m.exp.trace | sed -n 's/^instructions //p')
	b=$(interfero trace info m.exp.2.trace | sed -n 's/^instructions //p')
	[ $((b - a)) -ge 400 ] && [ $((b - a)) -le 800 ] || say "$a and $b"
	refuse 2 "which program uses the libraries" -- interfero compare --library liblib.so.1 new/liblib.so.1
	refuse 2 "there is no library" -- interfero compare --library liblib.so.1 new/nosuch.so -- ./user
	interfero-gcc -O2 -ffunction-sections -fPIC -shared -Wl,-soname,liblib.so.2 lib.c -o liblib.so.2
	refuse 2 "one program cannot use both" -- interfero compare -c clock -n 2 -o f.exp --library liblib.so.1 liblib.so.2 -- ./user
}

# audited LIBRARY: each layout's run opened its own file of it, by the loader's auditor.
audited() {
	local variant place
	[ "$(interfero report --json e.exp | jq -r '.facts["library by"]')" = LD_AUDIT ]
	for variant in v0000{0,1,2}; do
		place=$(nm e.exp.variants/$variant | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
		grep -q "/$variant.lib/$1 $place\$" log || say "$variant did not run: $(cat log)"
	done
}

@test "by LD_AUDIT, where the program opens the library itself, or is linked with it by a path" {
	cat >opens.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char **argv) {
			void *library = dlopen(argv[1], RTLD_NOW);
			int (*two)(int) = library ? (int (*)(int))dlsym(library, "two") : NULL;
			Dl_info info;
			if (!two || !dladdr((void *)two, &info))
				return 1;
			FILE *file = argc > 2 ? fopen(argv[2], "a") : NULL;
			if (file)
				fprintf(file, "%s %lx\n", info.dli_fname, (unsigned long)((char *)two - (char *)info.dli_fbase));
			return two(21) != 42;
		}
	EOT
	gcc -O2 opens.c -o opens
	within 60 interfero bench -q -c clock -n 2 -r 1 --keep --library ./liblib.so.1 -o e.exp -- ./opens ./liblib.so.1 "$PWD/log"
	audited liblib.so.1
	rm -rf e.exp* log
	interfero-gcc -O2 -ffunction-sections -fPIC -shared lib.c -o libnone.so
	gcc -O2 user.c ./libnone.so -o user
	within 60 interfero bench -q -c clock -n 2 -r 1 --keep --library ./libnone.so -o e.exp -- ./user "$PWD/log"
	audited libnone.so
	within 60 interfero bench -q -c model -a functions,padding -n 2 --library ./liblib.so.1 -o m.exp -- ./opens ./liblib.so.1
	interfero trace info m.exp.trace | grep -q '^mapping .* library .*m.exp.variants/v00000$'
	[ "$(interfero replay -n 8 --axes functions,padding --json m.exp.trace | jq -c '.layouts[].counters' | sort -u | wc -l)" -gt 1 ]
	run interfero bench -c clock -n 2 -o n.exp --library ./liblib.so.1 -- ./opens /nonexistent.so
	[ "$status" -eq 3 ] || say "$output"
}

@test "a Python extension, by clock and by model" {
	# A library that is opened is tested above.
	need_full_depth
	local python=/usr/bin/python3 include
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])') || skip "no $python"
	[ -e "$include/Python.h" ] || skip "no Python.h"
	cat >mod.c <<-'EOT'
		#define PY_SSIZE_T_CLEAN
		#include <Python.h>
		__attribute__((noinline)) static long odd(long i, long s) { return s * 31 + i; }
		__attribute__((noinline)) static long even(long i, long s) { return s ^ i * 7; }
		static PyObject *work(PyObject *self, PyObject *args) {
			long n, s = 0;
			(void)self;
			if (!PyArg_ParseTuple(args, "l", &n))
				return NULL;
			for (long i = 0; i < n; i++)
				s = i & 1 ? odd(i, s) : even(i, s);
			return PyLong_FromLong(s & 0xffff);
		}
		static PyMethodDef methods[] = {{"work", work, METH_VARARGS, ""}, {0}};
		static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "mod", "", -1, methods, 0, 0, 0, 0};
		PyMODINIT_FUNC PyInit_mod(void);
		PyMODINIT_FUNC PyInit_mod(void) { return PyModule_Create(&module); }
	EOT
	interfero-gcc -O2 -ffunction-sections -fPIC -shared -I"$include" mod.c -o mod.so
	printf 'import mod\nprint(mod.work(20000))\nprint([line.split()[-1] for line in open("/proc/self/maps") if "mod.so" in line or ".variants/" in line][0])\n' >script.py
	"$python" script.py | tail -n 1 | grep -q '/mod.so$'
	within 120 interfero bench -q -c clock -n 2 -r 2 --ignore-output -o e.exp --library ./mod.so -- "$python" script.py
	[ "$(interfero report --json e.exp | jq -r '.facts["library by"]')" = LD_AUDIT ]
	within 120 interfero bench -q -c model -n 2 -o m.exp --library ./mod.so -- "$python" script.py
	interfero trace info m.exp.trace | grep -q '^mapping .* library .*m.exp.variants/v00000$'
}
