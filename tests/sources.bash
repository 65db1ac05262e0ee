# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Sources of Debian's packages, fetched when a test needs them.

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
	done
	rm -rf apt
}
export -f fetch_packages

# need_packages PACKAGE...: fetches them, or leaves the reason why not in the file reason.
need_packages() {
	local tool
	: >reason
	for tool in apt-get dpkg-source; do
		command -v $tool >/dev/null || {
			echo "$tool is not installed" >reason
			return 0
		}
	done
	timeout 170 bash -c 'fetch_packages "$@"' fetch "$@" >fetch.log 2>&1 ||
		echo "Debian's sources cannot be fetched (no network?)" >reason
}
