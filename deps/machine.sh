# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # shared with those who source it
#
# What others call the architecture $machine, which is called as uname -m has it:
#	debian_arch	Debian's packages
#	debian_kernel	the package that leads to Debian's kernel for guests
#	kernel_arch	the kernel's own make, and the folders of fragments
#	kernel_image	what that make builds, in its tree
#	tools		what the compiler's and binutils' names begin with

case $machine in
x86_64)
	debian_arch=amd64 debian_kernel=linux-image-cloud-amd64
	kernel_arch=x86_64 kernel_image=arch/x86/boot/bzImage ;;
s390x)
	debian_arch=s390x debian_kernel=linux-image-s390x
	kernel_arch=s390 kernel_image=arch/s390/boot/bzImage ;;
aarch64 | arm64)
	machine=aarch64
	debian_arch=arm64 debian_kernel=linux-image-cloud-arm64
	kernel_arch=arm64 kernel_image=arch/arm64/boot/Image.gz ;;
*)
	echo "${0##*/}: $machine is none of x86_64 s390x aarch64" >&2
	exit 2 ;;
esac
tools=''
[[ $machine == "$(uname -m)" ]] || tools=$machine-linux-gnu-
