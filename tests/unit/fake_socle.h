/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_SOCLE_H
#define TESTS_UNIT_FAKE_SOCLE_H

/*
 * libsocle.a's socle_mount() and socle_umount() without a disk, linked in its place into
 * a test that calls this. What a mount comes to is said by its description's words:
 *	refuse	ROOT_HASH_MISMATCH of volume-0
 *	wait	the folder is there once the file "go" is, beside it; within 20 s
 *	die	the process is killed
 * Else the target is made, and the file "request" beside it says what was asked for.
 */
void fake_socle(void);

/* The refusal as it reaches a caller. */
#define FAKE_SOCLE_REFUSAL                                                                         \
	"socle: FAILED step=verity volume=volume-0 code=ROOT_HASH_MISMATCH: the top of \"x\" "     \
	"does not match"

#endif
