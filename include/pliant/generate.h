// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Meshes of simple shapes. A table lists the generators with their parameters and regions, so that
// the command line, scene files and documentation can offer them all without naming any.
#ifndef PLIANT_GENERATE_H
#define PLIANT_GENERATE_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// kind (DOUBLE, INT, CHOICE), key, unit, choices in order of their numbers, help
#define PL_GENERATE_FIELD_LIST(X)                                                                  \
    X(DOUBLE, edge, "m", NULL, "target for the mean edge length")                                  \
    X(DOUBLE, size_x, "m", NULL, "length along x")                                                 \
    X(DOUBLE, size_y, "m", NULL, "length along y")                                                 \
    X(DOUBLE, size_z, "m", NULL, "length along z")                                                 \
    X(DOUBLE, end_length, "m", NULL, "vertices this near to an end are in its region")             \
    X(DOUBLE, radius, "m", NULL, "radius; of a torus, that of its tube")                           \
    X(DOUBLE, inner_radius, "m", NULL, "radius of the inner surface")                              \
    X(DOUBLE, outer_radius, "m", NULL, "radius of the outer surface")                              \
    X(DOUBLE, ring_radius, "m", NULL, "from the centre of a torus to the centre of its tube")      \
    X(DOUBLE, height, "m", NULL, "length along the axis: z, of creatures y")                       \
    X(DOUBLE, left_height, "m", NULL, "height of the left side, which starts at y = 0")            \
    X(DOUBLE, right_low, "m", NULL, "y of the lower right corner")                                 \
    X(DOUBLE, right_high, "m", NULL, "y of the upper right corner")                                \
    X(DOUBLE, thickness, "m", NULL, "length along z")                                              \
    X(INT, count_x, "", NULL, "cells along x (cloth: vertices); 0: from edge")                     \
    X(INT, count_y, "", NULL, "cells along y (cloth: vertices); 0: from edge")                     \
    X(INT, count_z, "", NULL, "cells along z; 0: from edge")                                       \
    X(INT, frequency, "", NULL, "parts of each icosahedron edge; 0: from edge")                    \
    X(CHOICE, pattern, "", "bcc five kuhn", "how cells become tets")                               \
    X(CHOICE, diagonals, "", "alternating same", "how grid cells become triangles")                \
    X(CHOICE, letter, "", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z", "which letter")   \
    X(DOUBLE, jitter, "", NULL, "random shift of inner vertices, in cells")                        \
    X(INT, seed, "", NULL, "start of the random numbers")

/// How the cells of a box become tets. Body-centred cubic: a vertex in every cell (and in every
/// boundary face) joined to its neighbours, the same in every axis direction and both ways along
/// each. Five: mirrored from cell to cell. Kuhn: six around the same diagonal of all cells, so that
/// direction is stiffer.
typedef enum pl_tet_pattern { PL_PATTERN_BCC, PL_PATTERN_FIVE, PL_PATTERN_KUHN } pl_tet_pattern;

typedef enum pl_cloth_diagonals { PL_DIAGONALS_ALTERNATING, PL_DIAGONALS_SAME } pl_cloth_diagonals;

#define PL_GENERATE_DOUBLE double
#define PL_GENERATE_INT int
#define PL_GENERATE_CHOICE int
#define PL_GENERATE_MEMBER(kind, key, unit, choices, help) PL_GENERATE_##kind key;
/// The parameters of all generators; each reads its own and ignores the others. Fill it with
/// pl_generate_defaults, then change what you need.
typedef struct pl_generate_options {
    PL_GENERATE_FIELD_LIST(PL_GENERATE_MEMBER)
} pl_generate_options;
#undef PL_GENERATE_MEMBER
#undef PL_GENERATE_DOUBLE
#undef PL_GENERATE_INT
#undef PL_GENERATE_CHOICE

typedef enum pl_parameter_kind {
    PL_PARAMETER_DOUBLE,
    PL_PARAMETER_INT,
    PL_PARAMETER_CHOICE,
} pl_parameter_kind;

/// The description of a field of pl_generate_options.
typedef struct pl_generator_field {
    const char* key;
    pl_parameter_kind kind;
    size_t offset;       ///< of a double or an int in pl_generate_options
    const char* unit;    ///< "" for none
    const char* choices; ///< words separated by blanks, or NULL
    const char* help;
} pl_generator_field;

/// A generator's default and range for a field.
typedef struct pl_generator_parameter {
    const pl_generator_field* field;
    double preset;    ///< the default; for a choice, its number
    double low, high; ///< the range, ends included
    bool with_height; ///< the default is proportional to the height
} pl_generator_parameter;

enum { PL_GENERATOR_PARAMETERS = 16 };

typedef struct pl_generator {
    const char* name;
    const char* summary;
    const char* regions; ///< the regions that it names, in words
    pl_generator_parameter parameters[PL_GENERATOR_PARAMETERS]; ///< up to one with field NULL
} pl_generator;

/// Largest number of elements of a generator (about 3 GB while it works), and of tets that fill a
/// surface. More is refused with PL_ERROR_LIMIT before anything is allocated.
#define PL_GENERATE_ELEMENT_LIMIT 20000000

PL_API int pl_generator_count(void);
/// By number, or NULL past the end; the text lives as long as the program.
PL_API const pl_generator* pl_generator_at(int index);
/// By name; the error lists all names.
PL_API pl_status pl_generator_find(const char* name, const pl_generator** out, pl_error* error);

/// The defaults of a generator. Fields that it does not read are 0. So are those with_height, where
/// 0 means a length proportional to the height.
PL_API pl_status pl_generate_defaults(const char* name, pl_generate_options* out, pl_error* error);
/// Sets one parameter by its key, from a number or from a text (a number, or a choice's word). An
/// unknown key or a value out of range is refused, and the error says what is possible.
PL_API pl_status pl_generate_set_number(const char* name, pl_generate_options* options,
                                        const char* key, double value, pl_error* error);
PL_API pl_status pl_generate_set_text(const char* name, pl_generate_options* options,
                                      const char* key, const char* value, pl_error* error);

/// Makes the mesh; options NULL: the defaults. Solids have tets of positive volume and the
/// triangles of their boundary; vertices on curved boundaries lie on them up to rounding. The same
/// options give the same bits.
PL_API pl_status pl_generate(const char* name, const pl_generate_options* options, pl_mesh** out,
                             pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
