# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of tools/vm share: `load vm`, behind helpers. Here the VM is a script; tools/vm-kernel is the real one.

vm_setup()
{
	common_setup
	mkdir -p tools tests/vm bin b
	cp "$HOLBENCH_TOP"/tools/{vm,vm-kernel,debian-mirror} tools/
	printf '#!/bin/sh\n' >tools/vm-initramfs
	echo 'live' >tests/vm/tests
	echo 1 >tests/vm/floor
	: >kernel
	chmod +x tools/*
	PATH=$PWD/bin:$PATH
	export BUILD=b HOLBENCH_VM_LIMIT=20 HOLBENCH_CACHE=$PWD/cache
}

# machine: the VM is the shell text on standard input. It has $token, and its console in $console.
machine()
{
	{
		cat <<-'END'
			#!/usr/bin/env bash
			[[ $* == *--version* ]] && echo 'QEMU emulator version 7.2.1' && exit
			[[ $* == *kvm* ]] && echo 'no KVM here' >&2 && exit 1
			token=$(grep -oE 'hb_token=[^ ]+' <<<"$*" | cut -d= -f2)
			console=$(grep -oE 'file:[^ ]+' <<<"$*" | cut -d: -f2)
			echo "$*" >arguments
		END
		cat
	} >bin/qemu-system-x86_64
	chmod +x bin/qemu-system-x86_64
}
