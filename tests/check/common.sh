# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# shellcheck shell=bash disable=SC2034 # shared with those who source it
#
# For a check that says all that is wrong before it fails: it ends with exit $status.

status=0

complain()
{
	echo "$*"
	status=1
}
