/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * with_sched_ext COMMAND…: runs the command while a scheduler of the sched_ext class is loaded, the
 * smallest there can be: of its operations only the name is given, the class does the rest by
 * itself.
 *
 * Exit status: the command's; 125 when no scheduler can be loaded.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPS   "sched_ext_ops"
#define VALUE "bpf_struct_ops_sched_ext_ops"
#define NAME  "holbench_test"

/* The kernel's headers may be older than 6.4. */
#ifndef BPF_F_LINK
#define BPF_F_LINK (1U << 13)
#endif
#define STRUCT_OPS ((enum bpf_attach_type)44)

/* Bytes from the start of a struct to its member, or -1. */
static long offset_of(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);

	for (__u32 i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), member))
			return (long)btf_member_bit_offset(t, i) / 8;
	return -1;
}

/* The kernel wants types of the caller's own beside those that it has: any will do. */
static int own_types(void)
{
	struct btf *btf = btf__new_empty();

	if (!btf || btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED) < 0 ||
	    btf__load_into_kernel(btf))
		return -1;
	return btf__fd(btf);
}

/* A map of one value, which is the operations, and a link to it, which is the scheduler: it goes
 * with the descriptor that is returned, or -1. */
static int load(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf__find_by_name_kind(btf, VALUE, BTF_KIND_STRUCT), map, zero = 0;
	long data = offset_of(btf, VALUE, "data"), name = offset_of(btf, OPS, "name");
	LIBBPF_OPTS(bpf_map_create_opts, opts, .btf_fd = (__u32)own_types(),
		    .btf_vmlinux_value_type_id = (__u32)id, .map_flags = BPF_F_LINK);
	int link = -1;
	long long size;
	char *value;

	if (id < 0 || data < 0 || name < 0) {
		fprintf(stderr, "with_sched_ext: this kernel has no such class\n");
		return -1;
	}
	size = btf__resolve_size(btf, (__u32)id);
	value = calloc(1, (size_t)size);
	if (!value)
		return -1;
	memcpy(value + data + name, NAME, sizeof(NAME));
	map = bpf_map_create(BPF_MAP_TYPE_STRUCT_OPS, NAME, sizeof(zero), (__u32)size, 1, &opts);
	if (map < 0)
		perror("with_sched_ext: no map");
	else if (bpf_map_update_elem(map, &zero, value, 0))
		perror("with_sched_ext: the kernel does not take the operations");
	else if ((link = bpf_link_create(map, 0, STRUCT_OPS, NULL)) < 0)
		perror("with_sched_ext: the kernel does not take the scheduler");
	free(value);
	btf__free(btf);
	return link;
}

int main(__attribute__((unused)) int argc, char **argv)
{
	int link = load(), status = 0;
	pid_t child;

	if (link < 0)
		return 125;
	child = fork();
	if (!child) {
		close(link);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		perror("with_sched_ext");
	close(link);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
