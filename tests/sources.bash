# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sources of Debian's packages, fetched once for all tests and benchmarks of a build.

debian_packages="bzip2 lua5.4 sqlite3 gawk zlib libjsoncpp minpack"

# fetch_packages PACKAGE...: each source package unpacked in a folder of its name in this folder. Asks the machine's own
# sources, in a configuration of its own that changes nothing outside this folder.
fetch_packages() {
	set -e
	mkdir -p apt/lists/partial apt/cache/archives/partial apt/empty
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$3 == "main" && !seen[$0]++ { print "deb-src", $0 }' >apt/sources.list
	[ -s apt/sources.list ]
	local package options=(-q -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o "Dir::Etc::SourceParts=$PWD/apt/empty"
		-o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o "Acquire::Retries=2"
		-o "Acquire::http::Timeout=30")
	[ "$(id -u)" -ne 0 ] || options+=(-o APT::Sandbox::User=root)
	# One index of several that is missing is no matter.
	apt-get "${options[@]}" update || true
	apt-get "${options[@]}" --download-only source "$@"
	for package; do
		dpkg-source --skip-patches -x "$package"_*.dsc "$package"
		rm "$package"_*
	done
	rm -rf apt
}

# need_sources STORE [PACKAGE...]: STORE/sources holds these packages, or every one of debian_packages. Else it fails with a
# reason on standard error. A failure stands for a quarter of an hour, so that not every file waits for a network that is not
# there. Call it under a lock.
need_sources() {
	local store=$1 package tool new missing=()
	shift
	# shellcheck disable=SC2086 # a list of packages
	[ $# -gt 0 ] || set -- $debian_packages
	for package; do [ -d "$store/sources/$package" ] || missing+=("$package"); done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ -n "$(find "$store/no-sources" -mmin -15 2>/dev/null)" ]; then
		cat "$store/no-sources" >&2
		return 1
	fi
	for tool in apt-get dpkg-source; do
		command -v $tool >/dev/null || {
			echo "$tool is not installed" >&2
			return 1
		}
	done
	new=$(mktemp -d "$store/sources-XXXXXX")
	# A shell of its own, as `set -e` sleeps in conditions.
	if ! (cd "$new" && timeout 300 bash -c "$(declare -f fetch_packages); fetch_packages \"\$@\"" fetch "${missing[@]}") \
		>"$store/fetch.log" 2>&1; then
		rm -rf "$new"
		echo "Debian's sources cannot be fetched (no network?)" | tee "$store/no-sources" >&2
		return 1
	fi
	mkdir -p "$store/sources"
	mv "$new"/* "$store/sources"
	rmdir "$new"
}
