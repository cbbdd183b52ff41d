// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What `pliant info` reports about one file, as text and as JSON.
#ifndef PL_CLI_INFO_H
#define PL_CLI_INFO_H

#include <pliant/pliant.h>
#include <stddef.h>

typedef struct info {
    const char* path;
    const pl_mesh* mesh;
    const pl_mesh_report* report;
    const pl_notes* notes;        // of the reader
    const pl_fill_advice* advice; // of a closed surface that can be filled with tets, else NULL
    const char* no_advice;        // why it cannot be filled, or NULL
    bool usable;                  // no defect prevents simulating it
    char verdict[768];            // one line: what the mesh can be used for, or what to do
} info;

// Sets usable and verdict from the other members.
void info_judge(info* i);
void info_print_text(const info* i);
void info_print_json(const info* i);
// The JSON object of a file that cannot be read.
void info_print_json_error(const char* path, const pl_error* error);

#endif
