#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# run.sh GROUP...: runs groups of tests and ends with the line
#	N passed, N failed
# and behind it ", N skipped" where cases need files or rights that are not there.
# unit	each program test_* below $BUILD/tests; its cases are counted
# guest	the same below $BUILD/ARCH/tests of each ARCH in $SOCLE_ARCHES
# check	each tests/check/check_*.sh; one test each
# qemu	tests/qemu with pytest, on Debian's kernels; its cases are counted
# config	that kernel-config/fragments are in force on the kernel of sources.lock,
#	one test for each architecture, and that one which is not is named
# built	tests/qemu on the kernels that kernel-config/ builds; SOCLE_BUILT_ARCH is their folder;
#	the last group, for which kernels there are is said for good
# core	of group qemu what built cannot show, and what counts on every kernel
set -uo pipefail

cd "${BASH_SOURCE[0]%/*}/../.." || exit 1
build=${BUILD:-build}
logs=$build/tests/log
passed=0
failed=0
skipped=0

mkdir -p "$logs"

# A program that dies says no "not ok" for the case that killed it. A case that this
# machine does not allow is a "not ok" with the word SKIP, which counts as neither; a
# program that says of no case what became of it has failed.
run_program()
{
	local name=$1 log=$logs/${1//\//-}.log ok bad left_out status ok_words=

	CMOCKA_MESSAGE_OUTPUT=TAP "${@:2}" >"$log" 2>&1 </dev/null
	status=$?
	ok=$(grep -c '^ok ' "$log")
	bad=$(grep '^not ok ' "$log" | grep -vc '# SKIP')
	left_out=$(grep -c '^not ok .*# SKIP' "$log")
	if [[ $bad -eq 0 && ($status -ne 0 || $((ok + left_out)) -eq 0) ]]; then
		bad=$((bad + 1))
	fi
	if [[ $bad -eq 0 ]]; then
		[[ $left_out -eq 0 ]] || ok_words=", $left_out skipped"
		echo "ok      $name ($ok${ok_words:-})"
	else
		echo "FAILED  $name ($bad of $((ok + bad)), status $status)"
		tail -n 40 "$log"
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	skipped=$((skipped + left_out))
}

# Those of a folder, each under its room's name.
programs_in() { find "$@" -type f -name 'test_*' -perm -u+x ! -name '*.*' | sort; }

run_unit()
{
	local program name

	while read -r program; do
		name=${program#"$build"/tests/}
		run_program "${name#tests/unit/}" "$program"
	done < <(programs_in "$build/tests")
}

# The same tests as the guest's compiler makes them, each architecture's in turn.
run_guest()
{
	local arch program emulator

	for arch in ${SOCLE_ARCHES:?}; do
		emulator=()
		[[ $arch == "$(uname -m)" ]] || emulator=("qemu-$arch")
		while read -r program; do
			run_program "$arch/${program#"$build/$arch"/tests/unit/}" "${emulator[@]}" "$program"
		done < <(programs_in "$build/$arch/tests/unit")
	done
}

# run_script NAME COMMAND...: one test.
run_script()
{
	local log=$logs/$1.log

	if "${@:2}" >"$log" 2>&1 </dev/null; then
		echo "ok      $1"
		passed=$((passed + 1))
	else
		echo "FAILED  $1"
		tail -n 40 "$log"
		failed=$((failed + 1))
	fi
}

run_check()
{
	local script

	for script in tests/check/check_*.sh; do
		run_script "${script##*/}" "$script"
	done
}

run_config()
{
	local arch

	for arch in ${SOCLE_ARCHES:?}; do
		run_script "config-$arch" kernel-config/check-config.sh "$arch"
	done
	run_script config-lost-option tests/check/lost_option.sh
}

run_qemu() { run_pytest qemu -m 'not built'; }

run_core() { run_pytest core -m 'prebuilt or (core and not built)'; }

run_built()
{
	local arch folder

	for arch in ${SOCLE_ARCHES:?}; do
		folder=SOCLE_BUILT_$arch
		[[ -n ${!folder:-} ]] || continue
		export "SOCLE_KERNEL_$arch=${!folder}/vmlinuz"
		export "SOCLE_MODULES_$arch=$(echo "${!folder}"/modules/lib/modules/*)"
	done
	run_pytest built -m 'not prebuilt'
}

# pytest of tests/qemu, as NAME with OPTIONS.  A run that cannot even collect its cases
# still writes an error into the XML or none at all; both count as a failure.
run_pytest()
{
	local xml=$logs/$1.xml status counts ok bad left_out

	rm -f "$xml"
	"${PYTHON:-/usr/bin/python3}" -m pytest -p no:cacheprovider --junit-xml="$xml" \
		-o junit_family=xunit2 -v "${@:2}" tests/qemu </dev/null
	status=$?
	counts=$("${PYTHON:-/usr/bin/python3}" - "$xml" <<-'EOF'
	import sys, xml.etree.ElementTree as tree
	suites = tree.parse(sys.argv[1]).getroot().iter("testsuite")
	counts = [[int(s.get(k)) for k in ("tests", "failures", "errors", "skipped")] for s in suites]
	tests, failures, errors, skipped = (sum(column) for column in zip(*counts))
	print(max(0, tests - failures - errors - skipped), failures + errors, skipped)
	EOF
	) || counts="0 1 0"
	read -r ok bad left_out <<<"$counts"
	[[ $status -eq 0 || $bad -gt 0 ]] || bad=1
	passed=$((passed + ok))
	failed=$((failed + bad))
	skipped=$((skipped + left_out))
}

for group in "$@"; do
	echo "== $group"
	"run_$group"
done
echo
[[ $skipped -eq 0 ]] || skipped_words=", $skipped skipped"
echo "$passed passed, $failed failed${skipped_words:-}"
[[ $failed -eq 0 && $passed -gt 0 ]]
