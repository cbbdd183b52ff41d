// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant VERB ARGUMENTS: looks the verb up and calls it.
#include "base/platform.h"
#include "commands.h"
#include "options.h"

#include <pliant/pliant.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char* name;
    int (*run)(int argc, char** argv);
    const char* summary;
} command;

#define COMMAND_ROW(name, summary) {#name, cmd_##name, summary},
static const command commands[] = {COMMAND_LIST(COMMAND_ROW){NULL, NULL, NULL}};
#undef COMMAND_ROW

static void print_usage(FILE* file) {
    fprintf(
        file,
        "pliant %s: multigrid simulation of deformable objects\n\nusage: pliant VERB ARGUMENTS\n\n",
        pl_version());
    for (const command* c = commands; c->name; c++)
        fprintf(file, "  %-8s %s\n", c->name, c->summary);
    fprintf(file, "\n`pliant VERB --help` tells more about each.\n\nexit codes:\n");
#define EXIT_LINE(name, code, text) fprintf(file, "  %d  %s\n", code, text);
    EXIT_LIST(EXIT_LINE)
#undef EXIT_LINE
}

int main(int argc, char** argv) {
    pl_command_begin();
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        printf("pliant %s\n", pl_version());
        return EXIT_DONE;
    }
    for (const command* c = commands; c->name; c++)
        if (strcmp(argv[1], c->name) == 0) return c->run(argc - 2, argv + 2);
    fprintf(stderr, "pliant: unknown verb \"%s\"\n\n", argv[1]);
    print_usage(stderr);
    return EXIT_USAGE;
}
