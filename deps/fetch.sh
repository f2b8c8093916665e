#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# Brings packages of Debian trixie to a Debian machine that may be of another
# suite, through an apt configuration of our own: own source list, own state and
# cache folders.  The machine's apt is only asked where its mirror is.
#
#   fetch.sh [--newest] [--arch ARCH] [--suite SUITE] SPEC...
#
# SPEC	src:NAME	the upstream tarball of a source package (no Debian patches)
#	deb:NAME	a binary package
#	kernel:META	the newest kernel image that meta package META leads to
#
# For each SPEC one line goes to standard output, as in sources.lock:
#	ARCH SPEC VERSION SHA256 FILE
# and FILE is in $SOCLE_CACHE/downloads, with a hash that apt has verified
# against the signed index, or that is the lock's.
#
# The version in sources.lock is tried first (not with --newest), then what the
# suite offers, newest first: a mirror may list a file and not have it.
set -euo pipefail

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
cache=${SOCLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/socle}
downloads=$cache/downloads
lock=$here/sources.lock
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
max_versions=6

arch=amd64
newest=no
while [[ ${1:-} == --* ]]; do
	case $1 in
	--newest) newest=yes ;;
	--arch) arch=$2; shift ;;
	--suite) suite=$2; shift ;;
	*) echo "fetch.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift
done

die()
{
	echo "fetch.sh: $*" >&2
	exit 1
}

apt_home=$cache/apt-$suite-$arch
log=$apt_home/log
apt_env() { APT_CONFIG=$apt_home/apt.conf "$@"; }

# The URI of the archive that serves this machine's own suite: asked of apt, so
# both forms of source list, and whatever else apt reads, count.
mirror_of()
{
	local wanted=$1

	# shellcheck disable=SC2016 # the fields are apt's
	apt-get indextargets --no-release-info \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
		awk -v w="$wanted" '$2 == w && $3 == "main" { print $1; exit }'
}

write_apt_config()
{
	local main security=''  codename option='' name

	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	main=${DEBIAN_MIRROR:-}
	for name in "$codename" stable oldstable testing sid unstable; do
		[[ -n $main ]] && break
		main=$(mirror_of "$name")
	done
	[[ -n $main ]] || die "no Debian archive found in this machine's apt" \
		"sources; name one with DEBIAN_MIRROR=URI"
	[[ -n ${DEBIAN_MIRROR:-} ]] || security=$(mirror_of "$codename-security")
	[[ -r $keyring ]] || die "$keyring is missing (package debian-archive-keyring)"

	mkdir -p "$apt_home"/state/lists/partial "$apt_home"/cache/archives/partial
	: >"$apt_home/status"
	option="[signed-by=$keyring arch=$arch target=Packages,Sources]"
	{
		for name in deb deb-src; do
			echo "$name $option $main $suite main"
			# Only a release has these beside it.
			[[ $suite == trixie ]] || continue
			echo "$name $option $main $suite-updates main"
			[[ -z $security ]] ||
				echo "$name $option $security $suite-security main"
		done
	} >"$apt_home/sources.list.new"
	# Another mirror than last time makes the lists that are there useless.
	if ! cmp -s "$apt_home/sources.list.new" "$apt_home/sources.list"; then
		rm -f "$apt_home/fresh"
		mv "$apt_home/sources.list.new" "$apt_home/sources.list"
	fi
	# Proxies and credentials of the machine stay in force; its hooks do not,
	# nor does a setting that makes apt work without its package cache.
	# Downloads run as the caller: apt's own user cannot enter a home folder.
	# What APT_CONFIG says is read first and so would lose against the machine's
	# apt.conf.d: ours is the last file of a folder that links to all of those.
	rm -rf "$apt_home/apt.conf.d"
	mkdir -p "$apt_home/apt.conf.d"
	for name in /etc/apt/apt.conf.d/*; do
		[[ ! -r $name ]] || ln -s "$name" "$apt_home/apt.conf.d/"
	done
	echo "Dir::Etc::Parts \"$apt_home/apt.conf.d\";" >"$apt_home/apt.conf"
	cat >"$apt_home/apt.conf.d/zzz-socle" <<-EOF
	Dir::State "$apt_home/state";
	Dir::State::status "$apt_home/status";
	Dir::Cache "$apt_home/cache";
	Dir::Etc::SourceList "$apt_home/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::Etc::Preferences "/dev/null";
	Dir::Etc::PreferencesParts "/dev/null";
	APT::Sandbox::User "$(id -un)";
	APT::Architecture "$arch";
	APT::Architectures { "$arch"; };
	Dir::Cache::pkgcache "pkgcache.bin";
	Dir::Cache::srcpkgcache "srcpkgcache.bin";
	Acquire::Languages "none";
	Acquire::Retries "3";
	#clear APT::Update::Pre-Invoke;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	EOF
}

# Reads the lists once a run, and not if that was done within the last day.
lists_read=no
read_lists()
{
	[[ $lists_read == no ]] || return 0
	lists_read=yes
	write_apt_config
	if [[ $newest == no && -n $(find "$apt_home/fresh" -mtime -1 2>/dev/null) ]]; then
		return 0
	fi
	echo "fetch.sh: reading the package lists of $suite ($arch)" >&2
	# A mirror may lack a list that is not needed; what is needed is missed below.
	if apt_env apt-get -q update --error-on=any >"$log" 2>&1; then
		: >"$apt_home/fresh"
	else
		grep -E '^(E|W|Err)' "$log" | tail -n 6 >&2 || true
		echo "fetch.sh: not every package list of $suite could be read (log: $log)" >&2
	fi
}

# Prints "PACKAGE VERSION" per line, best first.
offers()
{
	local kind=$1 name=$2

	case $kind in
	src)
		apt_env apt-cache showsrc --only-source "$name" 2>/dev/null |
			awk -v n="$name" '/^Version:/ { print n, $2 }' | sort -u -k2,2Vr
		;;
	deb)
		apt_env apt-cache madison "$name" 2>/dev/null |
			awk -F ' *\\| *' -v n="$name" '!/ Sources$/ { print n, $2 }' |
			awk '!seen[$0]++' | sort -k2,2Vr
		;;
	kernel)
		# Only the newest versions keep their meta package; older images
		# that are still offered share its name but for the version.
		apt_env apt-cache show "$name" 2>/dev/null |
			sed -n 's/^Depends:.* \?\(linux-image-[^ ,]*\) (= \([^)]*\)).*/\1 \2/p' |
			sort -u -k2,2Vr
		apt_env apt-cache pkgnames linux-image-6.12 |
			grep -E "^linux-image-6\.12\.[0-9]+[^-]*-${name#linux-image-}\$" |
			sort -Vr | head -n "$max_versions" | while read -r image; do
				offers deb "$image"
			done
		;;
	esac | awk '!seen[$0]++' | head -n "$max_versions"
}

# Puts one package at one version into $part; false if the mirror has it not.
download()
{
	local kind=$1 package=$2 version=$3

	rm -rf "$part"
	mkdir -p "$part"
	if [[ $kind == src ]]; then
		(cd "$part" && apt_env apt-get -q source --download-only --tar-only \
			"$package=$version") >>"$log" 2>&1
	else
		(cd "$part" && apt_env apt-get -q download "$package=$version") >>"$log" 2>&1
	fi
}

hash_of() { sha256sum "$1" | cut -d' ' -f1; }

# Everything a fetch may do is done under one lock: two makes share the cache.
mkdir -p "$downloads"
exec 9>"$cache/downloads.lock"
flock 9
part=$downloads/part.$arch
trap 'rm -rf "$part"' EXIT

for spec in "$@"; do
	kind=${spec%%:*}
	name=${spec#*:}
	line_arch=$arch
	[[ $kind == src ]] && line_arch=source

	locked=''
	if [[ $newest == no && -r $lock ]]; then
		locked=$(awk -v a="$line_arch" -v s="$spec" \
			'$1 == a && $2 == s { print; exit }' "$lock")
	fi
	if [[ -n $locked ]]; then
		read -r _ _ version sha256 file <<<"$locked"
		if [[ -f $downloads/$file && $(hash_of "$downloads/$file") == "$sha256" ]]; then
			echo "$locked"
			continue
		fi
	fi

	read_lists
	tries=$(offers "$kind" "$name") || true
	[[ -n $tries ]] || die "$spec is not available: the lists of $suite ($arch) have no such package"
	# The locked version goes first where the suite still offers it.
	if [[ -n $locked ]]; then
		tries=$({ grep -F " $version" <<<"$tries" || true
			echo "$tries"; } | awk '!seen[$0]++')
	fi
	got=''
	while read -r package try; do
		if download "$kind" "$package" "$try"; then
			got=$(find "$part" -type f -printf '%f\n' | sort | head -n 1)
		fi
		[[ -n $got ]] && break
		echo "fetch.sh: the mirror lists $package $try but did not give it" >&2
	done <<<"$tries"
	if [[ -z $got ]]; then
		file=$(sed -n 's,.*Failed to fetch .*/\([^ ]*\).*,\1,p' "$log" | tail -n 1)
		die "$spec is not available: the mirror gave none of the versions" \
			"$(cut -d' ' -f2 <<<"$tries" | paste -sd' ')${file:+, the last file missed is $file} (log: $log)"
	fi
	mv -f "$part/$got" "$downloads/$got"
	echo "$line_arch $spec $try $(hash_of "$downloads/$got") $got"
done
