// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Decides which band faces are relaxed by whole chunks and which one by one. On an irregular body a
// chunk has one or two band faces across an axis: an armadillo of 277 000 cells has 87 000 such
// faces in 19 000 chunks, and vectors would process sixteen times as many.
#include "base/memory.h"
#include "grid/grid_linear_level.h"

#include <string.h>

// A chunk with more band faces than this across an axis is relaxed as a whole.
enum { FEW_FACES = 6 };

static size_t place_count(const pl_grid_linear_level* l) {
    return PL_BAND_LISTS * ((size_t)l->layout->size[1] * (size_t)l->layout->size[2] + 1);
}

static uint16_t faces_of(const pl_grid_linear_level* l, int k, int a) {
    const pl_grid_masks* m = &l->layout->masks[l->band[k].begin / PL_GRID_CHUNK];
    return m->face[a] & (uint16_t)~m->inner[a];
}
static bool is_dense(const pl_grid_linear_level* l, int k, int a) {
    return __builtin_popcount(faces_of(l, k, a)) > FEW_FACES;
}
// faces of a chunk in a list of single faces
static uint16_t listed(const pl_grid_linear_level* l, int k, int list) {
    const uint16_t odd = l->band[k].odd;
    if (is_dense(l, k, list / 2)) return 0;
    return faces_of(l, k, list / 2) & (list % 2 ? odd : (uint16_t)~odd);
}

// Sets the row offsets of all lists; returns their numbers of faces and chunks.
static void place_rows(pl_grid_linear_level* l) {
    const int row_count = l->layout->size[1] * l->layout->size[2];
    l->band_face_count = l->band_dense_count = 0;
    for (int list = 0; list < PL_BAND_LISTS; list++) {
        int* count = list < PL_BAND_FACES ? &l->band_face_count : &l->band_dense_count;
        int* row = l->row_lists + (size_t)list * ((size_t)row_count + 1);
        for (int r = 0; r < row_count; r++) {
            row[r] = *count;
            for (int k = l->row_band[r]; k < l->row_band[r + 1]; k++)
                *count += list < PL_BAND_FACES ? __builtin_popcount(listed(l, k, list))
                                               : is_dense(l, k, list - PL_BAND_FACES);
        }
        row[row_count] = *count;
    }
}

void pl_grid_band_list_free(pl_grid_linear_level* l) {
    PL_FREE(l->band_faces, pl_grid_band_face, l->band_face_count);
    PL_FREE(l->band_dense, int, l->band_dense_count);
    PL_FREE(l->row_lists, int, place_count(l));
}

pl_status pl_grid_band_list(pl_grid_linear_level* l, pl_error* error) {
    l->row_lists = PL_ALLOC(int, place_count(l));
    if (!l->row_lists) return pl_fail_memory(error, "a lattice");
    place_rows(l);
    l->band_faces = PL_ALLOC(pl_grid_band_face, l->band_face_count);
    l->band_dense = PL_ALLOC(int, l->band_dense_count);
    if ((l->band_face_count && !l->band_faces) || (l->band_dense_count && !l->band_dense))
        return pl_fail_memory(error, "a lattice");
    int next = 0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < l->band_count; k++)
            if (is_dense(l, k, a)) l->band_dense[next++] = k;
    return PL_OK;
}

static pl_grid_band_face face_of(const pl_grid_linear_level* l, int k, int a, int i) {
    const pl_grid_band_rates* r = &l->band_rates[k];
    // i: place within the chunk
    pl_grid_band_face face = {.at = r->begin + i,
                              .low_x = pl_place_below(i) - i,
                              .high_x = pl_place_above(i) - i,
                              .kept = (k * 3 + a) * PL_GRID_CHUNK + i,
                              .stresses = r->stresses[a][i],
                              .diagonal = l->inertia + r->stiffness[a][i],
                              .inverse_diagonal = r->inverse_diagonal[a][i],
                              .own = r->cells[i] >> a & 1 ? r->compliance[i] : 0.0f,
                              .low = r->low[a][i]};
    for (int n = 0; n < 4; n++) face.rows[n] = r->rows[n] + i;
    face.rows[4] = r->rows[a == 1 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW] + i;
    return face;
}

void pl_grid_band_list_pack(pl_grid_linear_level* l) {
    if (l->band_count) // without a band there is nothing to point to
        memset(l->band_residual, 0, (size_t)l->band_count * sizeof *l->band_residual);
    int next = 0;
    for (int list = 0; list < PL_BAND_FACES; list++)
        for (int k = 0; k < l->band_count; k++)
            for (unsigned bits = listed(l, k, list); bits; bits &= bits - 1)
                l->band_faces[next++] = face_of(l, k, list / 2, pl_place_of(__builtin_ctz(bits)));
}
