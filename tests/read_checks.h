// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What every reader of meshes is put through.
#ifndef PL_TEST_READ_CHECKS_H
#define PL_TEST_READ_CHECKS_H

#include "mesh/mesh_read.h"
#include "test.h"

// Reads bytes as the format that the name's ending tells; the test fails if that fails. notes may
// be NULL.
pl_mesh* pl_test_read_bytes(const char* name, const void* data, size_t size, pl_notes* notes);
pl_mesh* pl_test_read_text(const char* name, const char* text, pl_notes* notes);
pl_mesh* pl_test_read_file(const char* path, pl_notes* notes);
// The bytes of a file, and zero bytes behind them; freed with free.
char* pl_test_load(const char* path, size_t* size);

// Reading must fail so, with a text that names the file and contains the part.
void pl_test_refused(const char* name, const void* data, size_t size, pl_status status,
                     const char* part);
void pl_test_text_refused(const char* name, const char* text, pl_status status, const char* part);

// Reads all beginnings of the bytes; each must give a mesh or an error with a text, and leave no
// memory behind. The number that gave a mesh.
int pl_test_every_cut(const char* name, const void* data, size_t size);
// The same with bytes changed at random, `rounds` times.
void pl_test_random_damage(const char* name, const void* data, size_t size, int rounds);
// The same with each allocation failing once: PL_ERROR_MEMORY, until it works.
void pl_test_every_allocation(const char* name, const void* data, size_t size);
// Gzipped, the bytes give the same mesh; cut or damaged gzip data gives an error.
void pl_test_gzipped(const char* name, const void* data, size_t size);
// The same in a locale that writes decimals with a comma (skips by name where none can be made).
void pl_test_decimal_comma(const char* name, const void* data, size_t size);

// Writes decimals with a comma from now on; false if no such locale can be made. Reset in any case.
bool pl_test_set_comma_locale(void);
void pl_test_reset_locale(void);

// The same to the bit: positions, elements, regions, fields.
bool pl_test_same_mesh(const pl_mesh* a, const pl_mesh* b);
double pl_test_volume(const pl_mesh* mesh);
// Whether a note contains the part.
bool pl_test_noted(const pl_notes* notes, const char* part);

#endif
