// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What would take too much memory is refused before it does: generators, meshers, gzip files.
#include "base/memory.h"
#include "mesh/mesh_source.h"
#include "sample_meshes.h"

#include <pliant/pliant.h>
#include <stdlib.h>
#include <zlib.h>

static pl_status generate(const char* name, const char* settings[][2], pl_error* error) {
    pl_generate_options options;
    pl_mesh* mesh = NULL;
    CHECK_OK(pl_generate_defaults(name, &options, error), error);
    for (int i = 0; settings[i][0]; i++)
        CHECK_OK(pl_generate_set_text(name, &options, settings[i][0], settings[i][1], error),
                 error);
    pl_status status = pl_generate(name, &options, &mesh, error);
    CHECK((status == PL_OK) == (mesh != NULL));
    pl_mesh_destroy(mesh);
    return status;
}

TEST(limits_of_generators_that_cannot_keep_the_edge)
{
    pl_error error;
    // 2.15 million tets of a millimetre where 7.7 m were asked for
    const char* rod[][2] = {{"radius", "0.00132"}, {"height", "16"}, {"edge", "7.7"}, {NULL, NULL}};
    CHECK_INT(generate("cylinder", rod, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "edge is 7.7 m");
    CHECK_TEXT(error.text, "set edge to at most");
    const char* wire[][2] = {{"radius", "0.001"}, {"edge", "0.5"}, {NULL, NULL}};
    CHECK_INT(generate("torus", wire, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "so thin");
    const char* foil[][2] = {{"inner_radius", "0.99995"}, {"edge", "0.5"}, {NULL, NULL}};
    CHECK_INT(generate("tube", foil, &error), PL_ERROR_ARGUMENT);
    CHECK_INT(generate("shell", foil, &error), PL_ERROR_ARGUMENT);
    // what is said to work does: a shorter rod
    const char* stub[][2] = {{"radius", "0.01"}, {"height", "0.2"}, {"edge", "0.15"}, {NULL, NULL}};
    CHECK_INT(generate("cylinder", stub, &error), PL_ERROR_ARGUMENT);
    const char* at = strstr(error.text, "at most ");
    CHECK(at);
    char edge[32];
    snprintf(edge, sizeof edge, "%.2g", strtod(at + strlen("at most "), NULL));
    const char* mended[][2] = {{"radius", "0.01"}, {"height", "0.2"}, {"edge", edge}, {NULL, NULL}};
    CHECK_OK(generate("cylinder", mended, &error), &error);
}

TEST(limits_are_told_before_anything_is_made)
{
    pl_error error;
    size_t before = pl_byte_count();
    const char* fine_bear[][2] = {{"edge", "0.0002"}, {NULL, NULL}}; // 150 million tets
    CHECK_INT(generate("gummy_bear", fine_bear, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "GB");
    CHECK_TEXT(error.text, "take an edge above");
    const char* fine_box[][2] = {{"edge", "0.005"}, {NULL, NULL}}; // 75 million
    CHECK_INT(generate("box", fine_box, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "GB");
    pl_mesh *ball = sample_sphere(2), *mesh;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.01; // 40 million
    CHECK_INT(pl_tetrahedralise(ball, &options, &mesh, NULL, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "take an edge above");
    pl_mesh_destroy(ball);
    CHECK_INT(pl_byte_count(), before);
}

// ---- gzip

enum { CHUNK = 1 << 20 };

// That many MiB of zeros, then bytes that do not pack, as a gzip stream; to be freed.
static unsigned char* make_bomb(int zeros, int noise, size_t* size) {
    static unsigned char chunk[CHUNK];
    size_t room = (size_t)(noise + 1) * (CHUNK + CHUNK / 16) + (size_t)zeros * 4096;
    unsigned char* packed = malloc(room);
    z_stream stream = {.next_out = packed, .avail_out = (uInt)room};
    CHECK(packed);
    CHECK_INT(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    unsigned state = 1;
    for (int i = 0; i < zeros + noise; i++) {
        for (int k = 0; i >= zeros && k < CHUNK; k++)
            chunk[k] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
        stream.next_in = chunk;
        stream.avail_in = CHUNK;
        if (i == 0) memset(chunk, 0, CHUNK);
        CHECK(deflate(&stream, i + 1 == zeros + noise ? Z_FINISH : Z_NO_FLUSH) >= Z_OK);
    }
    *size = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

LONG_TEST(limits_of_gzip_bombs)
{
    size_t size;
    pl_error error;
    pl_source source;
    // Packed to 2 MiB in all, so that the whole file would allow 200 MiB: the first bytes must tell
    unsigned char* bomb = make_bomb(90, 2, &size);
    CHECK(size > (2 << 20));
    CHECK_INT(pl_source_from_memory(bomb, size, "bomb.obj.gz", 0, &source, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "limit of 100 times");
    CHECK_TEXT(error.text, "gunzip");
    // at any limit
    CHECK_INT(pl_source_from_memory(bomb, size, "bomb.obj.gz", UINT64_C(8) << 30, &source, &error),
              PL_ERROR_LIMIT);
    // and a limit holds for what is unpacked
    CHECK_INT(pl_source_from_memory(bomb, size, "bomb.obj.gz", 4 << 20, &source, &error),
              PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "limit of 4 MiB");
    free(bomb);
    // files that pack well are read
    bomb = make_bomb(20, 0, &size);
    CHECK_OK(pl_source_from_memory(bomb, size, "flat.obj.gz", 0, &source, &error), &error);
    CHECK_INT(source.size, 20 << 20);
    pl_source_free(&source);
    free(bomb);
}
