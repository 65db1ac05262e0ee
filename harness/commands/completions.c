/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/completions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Prints one option of a command in a shell's words. */
typedef void (*print_option)(const struct ifr_command *command, const struct argp_option *option);

/* Options of every command: argp adds them. */
static const struct argp_option given[] = {{"help", '?', NULL, 0, "explain the command", 0},
                                           {"usage", 0, NULL, 0, "print the command's usage", 0},
                                           {"version", 'V', NULL, 0, "print the version", 0},
                                           {0}};
static const struct argp given_options = {.options = given};

static void print_options(const struct ifr_command *command, const struct argp *argp, print_option print) {
	for (const struct argp_option *option = argp->options; option && (option->name || option->key || option->doc);
	     option++)
		if (option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC)))
			print(command, option);
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		print_options(command, child->argp, print);
}

static void print_all_options(const struct ifr_command *command, print_option print) {
	print_options(command, command->argp, print);
	print_options(command, &given_options, print);
}

/* Prints the first line of a text inside single quotes: a backslash in front of the characters in `special`, and quotes
 * as the shell takes them. */
static void print_quoted(const char *text, const char *special, const char *quote) {
	for (const char *at = text ? text : ""; *at && *at != '\n'; at++)
		if (*at == '\'')
			fputs(quote, stdout);
		else
			printf(strchr(special, *at) ? "\\%c" : "%c", *at);
}

static void print_bash_option(const struct ifr_command *command, const struct argp_option *option) {
	(void)command;
	printf("--%s ", option->name);
}

static void print_bash(const struct ifr_command *commands, int count) {
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
		print_all_options(&commands[i], print_bash_option);
		printf("' ;;\n");
	}
	printf("        esac\n"
	       "    fi\n"
	       "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	       "}\n"
	       "complete -o default -F _interfero interfero\n");
}

static const char zsh_special[] = "\\[]:", zsh_quote[] = "'\\''";

/* '--axes=[vary these]:LIST:_files', a word of zsh's _arguments. */
static void print_zsh_option(const struct ifr_command *command, const struct argp_option *option) {
	(void)command;
	const bool optional = option->flags & OPTION_ARG_OPTIONAL;
	printf("            '--%s%s[", option->name, !option->arg ? "" : optional ? "=-" : "=");
	print_quoted(option->doc, zsh_special, zsh_quote);
	printf("]");
	if (option->arg) {
		printf(optional ? "::" : ":");
		print_quoted(option->arg, zsh_special, zsh_quote);
		printf(":_files");
	}
	printf("' \\\n");
}

static void print_zsh(const struct ifr_command *commands, int count) {
	printf("#compdef interfero\n"
	       "# zsh completion for interfero; put it into a folder of $fpath, as _interfero\n"
	       "local -a verbs=(\n");
	for (int i = 0; i < count; i++) {
		printf("    '%s:", commands[i].name);
		print_quoted(commands[i].summary, zsh_special, zsh_quote);
		printf("'\n");
	}
	printf(")\n"
	       "if (( CURRENT == 2 )); then\n"
	       "    _describe command verbs\n"
	       "    compadd -- --help --version\n"
	       "    return\n"
	       "fi\n"
	       "shift words\n"
	       "(( CURRENT-- ))\n"
	       "case $words[1] in\n");
	for (int i = 0; i < count; i++) {
		printf("    %s)\n        _arguments -s \\\n", commands[i].name);
		print_all_options(&commands[i], print_zsh_option);
		printf("            '*:file:_files' ;;\n");
	}
	printf("esac\n");
}

static const char fish_special[] = "\\", fish_quote[] = "\\'";

static void print_fish_option(const struct ifr_command *command, const struct argp_option *option) {
	printf("complete -c interfero -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
	if (isgraph(option->key))
		printf(" -s %c", option->key);
	if (option->arg && !(option->flags & OPTION_ARG_OPTIONAL))
		printf(" -r");
	printf(" -d '");
	print_quoted(option->doc, fish_special, fish_quote);
	printf("'\n");
}

static void print_fish(const struct ifr_command *commands, int count) {
	printf("# fish completion for interfero; put it into ~/.config/fish/completions, as interfero.fish\n"
	       "complete -c interfero -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
	       "complete -c interfero -n __fish_use_subcommand -f -l version -d 'print the version'\n");
	for (int i = 0; i < count; i++) {
		printf("complete -c interfero -n __fish_use_subcommand -f -a %s -d '", commands[i].name);
		print_quoted(commands[i].summary, fish_special, fish_quote);
		printf("'\n");
		print_all_options(&commands[i], print_fish_option);
	}
}

bool print_completions(const char *shell, const struct ifr_command *commands, int count) {
	static const struct {
		const char *shell;
		void (*print)(const struct ifr_command *commands, int count);
	} scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
		if (!strcmp(shell, scripts[i].shell)) {
			scripts[i].print(commands, count);
			return true;
		}
	return false;
}
