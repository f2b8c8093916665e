# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the recipes
#
# What recipes share; they source it.  A recipe makes one folder in the cache from
# named packages.  It sets
#	name	the folder is $SOCLE_CACHE/$name-KEY
#	sources	an array of packages as fetch.sh names them
#	arch	Debian's name of the architecture that they are for
#	steps	how many times build() calls `step`
# and a function build(), and ends with `recipe "$@"`.  build() runs in a scratch
# folder and finds there
#	$out	the folder to fill; it gets its final name only when all is done
#	$final	that name
#	have[SPEC]	the file that was fetched for SPEC
# A function further_inputs() prints what else the result is a function of.
#
# Arguments of a recipe:
#	(none)	make the folder unless it is there
#	--dir	print the folder's name: a function of the recipe's text, of the
#		versions in sources.lock and of the compiler, and of nothing else
#	--lock	print the newest versions as lines for sources.lock

set -euo pipefail

recipes=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
cache=${SOCLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/socle}
compiler=${SOCLE_GCC:-gcc}
jobs=${SOCLE_JOBS:-$(nproc)}
declare -A have=()
step_number=0

# Two machines with different locales must make the same bytes.
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=0
# A make above us has opinions about jobs and directories that are not for the
# packages' own makes.
unset MAKEFLAGS MFLAGS MAKELEVEL

lock_lines()
{
	local spec

	[[ -r $recipes/sources.lock ]] || return 0
	for spec in "${sources[@]}"; do
		awk -v a="$arch" -v s="$spec" \
			'($1 == a || $1 == "source") && $2 == s' "$recipes/sources.lock"
	done
}

further_inputs() { :; }

recipe_dir()
{
	local key

	key=$({
		cat "$recipes"/{recipe,machine}.sh "$recipe_file"
		lock_lines
		"$compiler" -dumpmachine 2>/dev/null
		"$compiler" -dumpfullversion 2>/dev/null
		further_inputs
	} | sha256sum | cut -c1-16)
	echo "$cache/$name-$key"
}

step()
{
	step_number=$((step_number + 1))
	echo "[$step_number/$steps] $* (log: $log)" >&2
	echo "== $*" >>"$log"
}

# A word on a package that is not the locked one: what is measured will differ.
compare_with_lock()
{
	local differs

	differs=$(comm -13 <(lock_lines | sort) <(sort "$1") | cut -d' ' -f2,3 | paste -sd, -)
	[[ -z $differs ]] || echo "warning: $name is made from other packages than" \
		"sources.lock says ($differs): \`make lock\` takes them over" >&2
}

failed()
{
	echo "-- the last lines of $log:" >&2
	tail -n 25 "$log" >&2
	echo "${recipe_file##*/}: failed at step $step_number of $steps; the whole log is $log" >&2
}

recipe()
{
	local spec file

	recipe_file=$0
	final=$(recipe_dir)

	case ${1:-} in
	--dir)
		echo "$final"
		[[ ! -d $final ]] || compare_with_lock "$final/sources"
		return
		;;
	--lock) "$recipes/fetch.sh" --newest --arch "$arch" "${sources[@]}"; return ;;
	esac

	mkdir -p "$cache/log"
	# `make distclean` removes only a folder that has this file, and backups
	# leave out what is in it (the words are those of the tag's specification).
	echo 'Signature: 8a477f597d28d172789f06886806bc55' >"$cache/CACHEDIR.TAG"
	exec 8>"$cache/$name.lock"
	flock 8
	[[ ! -d $final ]] || return 0

	log=$cache/log/$name.log
	: >"$log"
	# With the lock in hand, these are left from a run that was killed.
	rm -rf "$cache/tmp.$name".*
	scratch=$(mktemp -d "$cache/tmp.$name.XXXXXX")
	# shellcheck disable=SC2064 # the name of now
	trap "rm -rf '$scratch'" EXIT
	out=$scratch/out
	mkdir "$out"
	"$recipes/fetch.sh" --arch "$arch" "${sources[@]}" >"$out/sources"
	while read -r _ spec _ _ file; do
		have[$spec]=$cache/downloads/$file
	done <"$out/sources"
	compare_with_lock "$out/sources"

	trap 'failed' ERR
	set -E
	cd "$scratch"
	build
	trap - ERR
	cd "$cache"
	mv "$out" "$final"
	echo "${final##*/} is ready" >&2
}

# Unpacks the tarball of SPEC and enters its one folder.
enter_source()
{
	rm -rf "$scratch/src"
	mkdir "$scratch/src"
	tar -C "$scratch/src" --no-same-owner -xf "${have[$1]}"
	cd "$scratch"/src/*/
}

# Upstream version of SPEC, for messages: no epoch, no Debian revision.
version_of()
{
	awk -v s="$1" '$2 == s { v = $3; sub(/^[0-9]+:/, "", v); sub(/-[^-]*$/, "", v); print v }' \
		"$out/sources"
}
