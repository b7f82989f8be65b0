// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion for bash, from the tables that the parser and --help read: the commands, their
 * options, the presets, the keys of a spec and the words that each takes.
 */
#include "command.h"

#include "report/row.h"
#include "spec/options.h"

#include <stdio.h>
#include <string.h>

/* The section that a spec has once for each name that it gives. */
#define SECTION_NAMED "resource.NAME"

/* A case for each thing that has words: ":" commands, a command, its options' values, a key. */
static void begin_case(const char *a, const char *b)
{
	printf("\t%s%s%s) echo '", a, b ? "," : "", b ? b : "");
}

static void end_case(void)
{
	puts("' ;;");
}

static void command_cases(void)
{
	const char *name, *argument;

	begin_case(":commands", NULL);
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	fputs("--help --version", stdout);
	end_case();
	for (const struct command *c = commands; c->name; c++) {
		begin_case(c->name, NULL);
		for (u32 i = 0; (name = command_option(c, i, &argument)); i++)
			printf("%s--%s", i ? " " : "", name);
		end_case();
		begin_case(c->name, "words");
		fputs(c->takes_spec ? ":spec" : *c->syntax ? ":result" : "", stdout);
		end_case();
		for (u32 i = 0; (name = command_option(c, i, &argument)); i++)
			if (argument)
				printf("\t%s,--%s) echo ':%s' ;;\n", c->name, name, argument);
	}
}

static void spec_cases(void)
{
	const struct option *o;
	const char *text;
	char key[96];

	begin_case(":presets", NULL);
	for (u32 i = 0; (text = preset_nth(i, &(const char *){NULL})); i++)
		printf("%s%s", i ? " " : "", text);
	end_case();
	begin_case(":AXIS", NULL);
	for (u32 i = 0; (o = options_nth(i)); i++)
		printf("%s%s.%s", i ? " " : "", o->section, o->name);
	end_case();
	for (u32 i = 0; (o = options_nth(i)); i++) {
		if (!option_word(o, 0))
			continue;
		snprintf(key, sizeof(key), "%s.%s",
			 strcmp(o->section, SECTION_NAMED) ? o->section : "resource.*", o->name);
		begin_case(key, "=");
		for (u32 w = 0; (text = option_word(o, w)); w++)
			printf("%s%s%s", w ? " " : "", text,
			       o->choices && o->choices[w].parameter ? ":" : "");
		end_case();
	}
}

/* The options' arguments that are no file and no number. */
static void argument_cases(void)
{
	const struct option *o;

	begin_case(":class=CLASS", NULL);
	for (u32 g = 0; g < GROUP_NR; g++)
		printf("%sclass=%s", g ? " " : "", group_name((enum group)g));
	end_case();
	begin_case(":KEY=LIST", NULL);
	for (u32 i = 0; (o = options_nth(i)); i++)
		printf("%s%s.%s=", i ? " " : "", o->section, o->name);
	end_case();
	puts("\t:KEY) echo '" KNEE_OVER "' ;;");
	puts("\t:LIST) echo 'p50 p95 p99' ;;");
}

static const char head[] =
	"# bash completion for holbench(1): the output of `holbench --completion bash`.\n"
	"# shellcheck shell=bash\n"
	"\n"
	"_holbench_words()\n"
	"{\n"
	"\tcase $1 in\n";

/*
 * Bash takes '=' and ':' for the ends of words: what is completed is the word of the line, and of
 * the answer only what stands behind the last of these is given back.
 */
static const char tail[] =
	"\tesac\n"
	"}\n"
	"\n"
	"# The keys on standard input, with the resource that the word names, else with those of\n"
	"# the spec files on the line, else as far as they are known.\n"
	"_holbench_named()\n"
	"{\n"
	"\tlocal current=$1 name names\n"
	"\tlocal -a files\n"
	"\n"
	"\tshift\n"
	"\tfor name; do [[ $name == *.ini && -r $name ]] && files+=(\"$name\"); done\n"
	"\t[[ -n ${files-} ]] && names=$(sed -n "
	"'s/^[[:blank:]]*\\[resource\\.\\([^]]*\\)\\].*/\\1/p' \"${files[@]}\")\n"
	"\t[[ $current == resource.?*.* ]] && names=${current#resource.} names=${names%%.*}\n"
	"\ttr ' ' '\\n' | while read -r key; do\n"
	"\t\tif [[ $key != resource.NAME.* ]]; then\n"
	"\t\t\techo \"$key\"\n"
	"\t\telif [[ -z ${names-} ]]; then\n"
	"\t\t\techo resource.\n"
	"\t\telse\n"
	"\t\t\tfor name in $names; do echo \"resource.$name.${key##*.}\"; done\n"
	"\t\tfi\n"
	"\tdone | uniq\n"
	"}\n"
	"\n"
	"_holbench()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} current command last list before split\n"
	"\tlocal -a words\n"
	"\n"
	"\tcurrent=${line##*[[:blank:]]}\n"
	"\tread -ra words <<<\"${line%\"$current\"}\"\n"
	"\tcommand=${words[1]-}\n"
	"\tlast=${words[${#words[@]} - 1]}\n"
	"\tCOMPREPLY=() before='' split=''\n"
	"\n"
	"\tif [[ -z $command ]]; then\n"
	"\t\tlist=$(_holbench_words :commands)\n"
	"\telif [[ $current == --*=* ]]; then\n"
	"\t\tlist=$(_holbench_words \"$command,${current%%=*}\")\n"
	"\t\tbefore=${current%%=*}=\n"
	"\telif [[ $current == -* ]]; then\n"
	"\t\tlist=$(_holbench_words \"$command\")\n"
	"\telif [[ $current == *.*=* ]]; then\n"
	"\t\tlist=$(_holbench_words \"${current%%=*},=\")\n"
	"\t\tbefore=${current%%=*}=\n"
	"\t\t[[ $current == *,* ]] && before=${current%,*},\n"
	"\telse\n"
	"\t\t[[ $last == --* ]] && list=$(_holbench_words \"$command,$last\")\n"
	"\t\t[[ -n ${list-} ]] || list=$(_holbench_words \"$command,words\")\n"
	"\tfi\n"
	"\n"
	"\tcurrent=${current#\"$before\"}\n"
	"\tcase $list in\n"
	"\t:DIR | :result)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	"\t\t;;\n"
	"\t:spec)\n"
	"\t\tlist=\"$(_holbench_words :presets) $(_holbench_words ':KEY=LIST' |\n"
	"\t\t\t_holbench_named \"$current\" \"${words[@]}\")\"\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$current\"\n"
	"\t\t\tcompgen -f -X '!*.ini' -- \"$current\")\n"
	"\t\t;;\n"
	"\t:*)\n"
	"\t\tlist=$(_holbench_words \"$list\" | _holbench_named \"$current\" \"${words[@]}\")\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$current\")\n"
	"\t\t;;\n"
	"\t*) mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$current\") ;;\n"
	"\tesac\n"
	"\n"
	"\tcurrent=$before$current\n"
	"\t[[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && "
	"split=${current%\"${current##*=}\"}\n"
	"\t[[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && "
	"split=${current%\"${current##*:}\"}\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]/#/$before}\")\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]#\"$split\"}\")\n"
	"\t[[ ${COMPREPLY[*]} == *[=:.] ]] && compopt -o nospace 2>/dev/null\n"
	"\treturn 0\n"
	"}\n"
	"\n"
	"complete -F _holbench holbench\n";

void completion_bash(void)
{
	fputs(head, stdout);
	command_cases();
	spec_cases();
	argument_cases();
	fputs(tail, stdout);
}
