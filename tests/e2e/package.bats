#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages: built from a copy of the sources, without a word from lintian; installed, used and purged in a system
# that debootstrap makes. Where that may not be made, they are unpacked into a folder and used from there, which is said.

load ../helpers
load ../system

setup_file() {
	use_own_kits
	: >reason
	find_reason >reason
	[ -s reason ] || build_packages
}

setup() {
	use_own_folder
	[ ! -s "$place/reason" ] || skip "$(cat "$place/reason")"
	packages=$place/build system=$place/root
}

teardown_file() {
	drop_own_kits
}

# Why packages cannot be built here.
find_reason() {
	local tool
	is_full_depth || { echo "at full depth (make check-full): the whole build once more"; return; }
	for tool in dpkg-buildpackage dh lintian; do
		command -v $tool >/dev/null || { echo "$tool is not installed"; return; }
	done
	(cd "$BATS_TEST_DIRNAME/../.." && dpkg-checkbuilddeps 2>&1) | sed 's/.*: error: //'
}

# As many jobs as processors; the tests' own settings of compilers stay outside.
build_packages() {
	mkdir -p build/interfero
	(cd "$BATS_TEST_DIRNAME/../.." && git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --) | tar -C build/interfero -xf -
	(cd build/interfero && within 500 env -u CC -u CXX -u CFLAGS -u INTERFERO_BUILD dpkg-buildpackage -us -uc -b "-j$(nproc)") >log 2>&1 ||
		say "$(tail -n 20 log)"
}

# The packages of the last build, without those of debugging information.
names() {
	ls "$packages"/*.deb | grep -v dbgsym
}

# A package for each gcc that has its plugin interface here, and interfero.
@test "the packages build, and lintian has nothing to say" {
	for package in interfero $(printf 'gcc-%s-plugin-interfero ' $(ls -d /usr/lib/gcc/*/*/plugin/include/gcc-plugin.h | sed 's,.*/\([0-9]*\)/plugin/.*,\1,')); do
		[ "$(names | grep -c "/${package}_")" -eq 1 ] || say "no $package: $(names)"
	done
	within 120 lintian --allow-root --fail-on error,warning "$packages"/*.changes >lintian.log 2>&1 || say "$(cat lintian.log)"
	# A plugin package names the one build of its gcc that it runs in.
	for package in "$packages"/gcc-*-plugin-interfero_*.deb; do
		gcc=$(basename "${package%-plugin-interfero_*}")
		dpkg-deb -f "$package" Depends | grep -q "$gcc (= $(dpkg-query -W -f '${Version}' "$gcc"))"
	done
}

@test "installed, used and purged" {
	local plugin version
	version=$(gcc -dumpversion)
	plugin=$(names | grep "gcc-${version%%.*}-plugin")
	if (. /etc/os-release && make_system "$VERSION_CODENAME") 2>why; then
		echo "# in a system that debootstrap made" >&3
		mkdir -p "$place/root/packages"
		cp "$plugin" "$packages"/interfero_*.deb "$packages/interfero/debian/tests/measures" "$place/root/packages"
		in_system sh -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/*.deb gcc libc6-dev' >log 2>&1 ||
			say "$(tail -n 20 log)"
		in_system sh /packages/measures >used 2>&1 || say "$(cat used)"
		in_system sh -ec 'apt-get purge -y -qq interfero "gcc-*-plugin-interfero"' >log 2>&1 || say "$(tail -n 20 log)"
		rm -r "$place/root/packages"
		# What the package manager keeps of every package: its own logs and archives.
		find "$place/root" -xdev -name '*interfero*' ! -path '*/var/cache/*' ! -path '*/var/log/*' ! -path '*/var/lib/apt/*' >remains
	else
		echo "# unpacked into a folder: $(cat why)" >&3
		for package in "$plugin" "$packages"/interfero_*.deb; do dpkg-deb -x "$package" unpacked; done
		PATH=$PWD/unpacked/usr/bin:$PATH within 120 sh "$packages/interfero/debian/tests/measures" >used 2>&1 || say "$(cat used)"
		: >remains
	fi
	[ "$(tail -n 1 used)" = "interfero measures" ] || say "$(cat used)"
	[ ! -s remains ] || say "$(cat remains)"
}
