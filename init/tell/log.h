/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_LOG_H
#define INIT_TELL_LOG_H

/* What PID 1 says: lines to /dev/kmsg, so to every console. */

/* Bytes of a line with its NUL; the longest record that printk keeps is a little above this. */
#define LOG_LINE_SIZE 960

/* Open /dev/kmsg and lift the kernel's limit on lines from there. Harmless twice. */
void log_open(void);

/* Put that limit back: who runs after us is not to flood the log. log_open() lifts it again. */
void log_limit_again(void);

/* A line of news; "quiet" hides it. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One line as it is, of a priority as /dev/kmsg takes it: "<6>". */
void log_line(const char *priority, const char *line);

#endif
