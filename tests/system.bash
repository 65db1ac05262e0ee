# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Systems of Debian that debootstrap makes, in the folder $system.

# in_system COMMAND...: in the system, with /proc, /sys, shared memory and terminals, and without a trace of it outside. Guarded
# by $system_limit seconds (300).
in_system() {
	within "${system_limit:-300}" unshare -m --propagation private sh -ec 'root=$1; shift
		mount --bind "$root" "$root" # a root that is a mount point lets its processes have mounts of their own
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mount -t tmpfs tmpfs "$root/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"' in "$system" "$@"
}

# make_system RELEASE: fails with the reason on standard error.
make_system() {
	[ "$(id -u)" -eq 0 ] || say "only root may make a system"
	command -v debootstrap >/dev/null || say "debootstrap is not installed"
	# From where this machine has its packages.
	local mirror
	# shellcheck disable=SC2016 # apt's own variables
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(RELEASE)' 'Created-By: Packages' |
		awk '$2 == "main" && $3 !~ /-/ { print $1; exit }')
	[ -n "$mirror" ] || say "apt names no archive of packages"
	within 300 debootstrap --variant=minbase "$1" "$system" "$mirror" >debootstrap.log 2>&1 ||
		say "debootstrap fails: $(tail -n 1 debootstrap.log)"
	# The system is made again when it is lost: its package manager need not wait for the disk.
	echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/unsafe-io"
	in_system true || say "the new system does not run"
}
