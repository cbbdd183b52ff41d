// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The verbs of the command: name, function. Each has a file cmd_NAME.c; argv starts after the verb.
#ifndef PL_CLI_COMMANDS_H
#define PL_CLI_COMMANDS_H

// name, summary
// clang-format off
#define COMMAND_LIST(X) \
    X(check, "checks a scene, prints it with every default") \
    X(export, "a run in the formats of other programs") \
    X(run, "simulates a scene into a folder") \
    X(resume, "goes on with a run that was stopped or killed") \
    X(info, "what a mesh is like, what is wrong with it") \
    X(mesh, "convert, generate, repair a mesh; fill a surface with tets") \
    X(modes, "frequencies and shapes of vibration of a body") \
    X(render, "pictures of a mesh file or of a run") \
    X(view, "shows a scene or a run in the browser, to play with")
// clang-format on

#define COMMAND_PROTOTYPE(name, summary) int cmd_##name(int argc, char** argv);
COMMAND_LIST(COMMAND_PROTOTYPE)
#undef COMMAND_PROTOTYPE

#endif
