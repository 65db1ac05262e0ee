/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/completions.h"

#include <stdio.h>

static void print_options(const struct argp *argp) {
	for (const struct argp_option *option = argp->options; option && (option->name || option->key || option->doc);
	     option++)
		if (option->name && !(option->flags & OPTION_HIDDEN))
			printf("--%s ", option->name);
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		print_options(child->argp);
}

void print_completions(const struct ifr_command *commands, int count) {
	printf("# bash completion for interfero; source this file, or put it in bash-completion's folder\n"
	       "_interfero() {\n"
	       "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
	       "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "        words='");
	for (int i = 0; i < count; i++)
		printf("%s ", commands[i].name);
	printf("--help --version'\n    else\n        case ${COMP_WORDS[1]} in\n");
	for (int i = 0; i < count; i++) {
		printf("        %s) words='", commands[i].name);
		print_options(commands[i].argp);
		printf("--help' ;;\n");
	}
	printf("        esac\n"
	       "    fi\n"
	       "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	       "}\n"
	       "complete -o default -F _interfero interfero\n");
}
