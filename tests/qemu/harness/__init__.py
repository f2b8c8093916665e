# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Boots small guests in QEMU and learns how they ended."""
