// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a complex of hexahedra to a mesh of tets with its boundary and regions.
//
// Body-centred cubic: every hexahedron has a vertex in its centre. Around the line between the
// centres on both sides of a face there are four tets, one per edge of the face. A face of the
// boundary has a vertex of its own instead of the second centre. The mesh has all symmetries of the
// complex, so no direction or diagonal is stiffer than its mirror image.
#include "base/memory.h"
#include "base/random.h"
#include "math/vec3.h"
#include "mesh/generator.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

// corners of the faces, counter-clockwise from outside
static const unsigned char face_corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

bool pl_hexes_alloc(pl_hexes* hexes, int vertex_count, int hex_count) {
    *hexes = (pl_hexes){.vertex_count = vertex_count, .hex_count = hex_count};
    hexes->positions = PL_ALLOC(double, 3 * (size_t)vertex_count);
    hexes->masks = PL_ALLOC(unsigned char, vertex_count);
    hexes->corners = PL_ALLOC(int, 8 * (size_t)hex_count);
    hexes->centres = PL_ALLOC(double, 3 * (size_t)hex_count);
    if (hexes->positions && hexes->masks && hexes->corners && hexes->centres) return true;
    pl_hexes_free(hexes);
    return false;
}

void pl_hexes_free(pl_hexes* hexes) {
    PL_FREE(hexes->positions, double, 3 * (size_t)hexes->vertex_count);
    PL_FREE(hexes->masks, unsigned char, hexes->vertex_count);
    PL_FREE(hexes->corners, int, 8 * (size_t)hexes->hex_count);
    PL_FREE(hexes->centres, double, 3 * (size_t)hexes->hex_count);
    *hexes = (pl_hexes){0};
}

// mean over the edges of an inner cell of side 1: 6 of 1 and 8 of sqrt(3)/2; 3 of 1 and 3 of
// sqrt(2); the same and 1 of sqrt(3)
static const double mean_edges[] = {0.923443, 1.207107, 1.282042};

// A requested edge may be this many times longer than the one that a thin shape needs.
static const double MAX_EDGE_FACTOR = 10.0;

int pl_cell_count(double length, double cell, int least) {
    double count = floor(length / cell + 0.5);
    if (!(count > least)) return least;
    return count < PL_GENERATE_ELEMENT_LIMIT ? (int)count : PL_GENERATE_ELEMENT_LIMIT;
}

int pl_least_around(double radius, double layer) {
    enum { MIN_AROUND = 8 };
    double rise = 0.25 * layer / radius; // = 1 - cos(pi / count)
    double count = rise < 1.0 ? ceil(PL_PI / acos(1.0 - rise)) : 0.0;
    return pl_cell_count(count, 1.0, MIN_AROUND);
}

pl_status pl_check_element_count(double count, pl_error* error) {
    if (count <= PL_GENERATE_ELEMENT_LIMIT) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT,
                   "the mesh would have about %.3g elements (%.2g GB), more than the limit of %d "
                   "(%.2g GB); choose a longer edge or smaller counts",
                   count, 1e-9 * PL_ELEMENT_BYTES * count, PL_GENERATE_ELEMENT_LIMIT,
                   1e-9 * PL_ELEMENT_BYTES * PL_GENERATE_ELEMENT_LIMIT);
}

pl_status pl_check_edge_kept(double edge, double cell, double count, pl_error* error) {
    double needed = cell * mean_edges[PL_PATTERN_BCC];
    if (edge <= MAX_EDGE_FACTOR * needed) return PL_OK;
    return pl_fail(
        error, PL_ERROR_ARGUMENT,
        "edge is %g m, but the shape is so thin that its tets need edges of about %.2g m "
        "(%.3g tets); set edge to at most %.2g m to have them, or make the shape "
        "thicker",
        edge, needed, count, MAX_EDGE_FACTOR * needed);
}

pl_status pl_check_edge(double edge, double extent, pl_error* error) {
    if (edge <= extent) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT, "edge is %g m, longer than the whole object of %g m",
                   edge, extent);
}

double pl_cell_size(pl_tet_pattern pattern, double edge) { return edge / mean_edges[pattern]; }

// what is being built: a mesh, and masks for all of its vertices
typedef struct build {
    pl_mesh* mesh;
    unsigned char* masks;
    int mask_count;
    int tet_count; // added so far
} build;

static bool set_vertices(build* b, const pl_hexes* hexes, int extra) {
    int count = hexes->vertex_count + extra;
    b->masks = PL_ALLOC(unsigned char, count);
    b->mask_count = count;
    if (!b->masks || !pl_mesh_set_vertex_count(b->mesh, count)) return false;
    memcpy(b->masks, hexes->masks, (size_t)hexes->vertex_count);
    memcpy(b->mesh->positions, hexes->positions, 3 * (size_t)hexes->vertex_count * sizeof(double));
    return true;
}

static void put_tet(build* b, int i, int j, int k, int l) {
    int* tet = b->mesh->tets + 4 * (size_t)b->tet_count++;
    tet[0] = i, tet[1] = j, tet[2] = k, tet[3] = l;
}

// ---- body-centred cubic

// Identifies a face: its smallest corner, the opposite corner, and the smaller of the other two.
static void face_key(const pl_hexes* hexes, int face, int key[3]) {
    const int* corners = hexes->corners + 8 * (size_t)(face / 6);
    int q[4], least = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = corners[face_corners[face % 6][i]];
        if (q[i] < q[least]) least = i;
    }
    int a = q[(least + 1) % 4], b = q[(least + 3) % 4];
    key[0] = q[least];
    key[1] = q[(least + 2) % 4];
    key[2] = a < b ? a : b;
}

// twins[face]: the same face of the neighbour, or -1 on the boundary. Returns the number of
// boundary faces. Faces wait in lists by their smallest corner until the neighbour's face is found.
static int match_faces(const pl_hexes* hexes, int* heads, int* nexts, int* twins) {
    int boundary_count = 0;
    for (int v = 0; v < hexes->vertex_count; v++) heads[v] = -1;
    for (int face = 0; face < 6 * hexes->hex_count; face++) {
        int key[3], other_key[3];
        face_key(hexes, face, key);
        int* link = &heads[key[0]];
        for (; *link >= 0; link = &nexts[*link]) {
            face_key(hexes, *link, other_key);
            if (key[1] == other_key[1] && key[2] == other_key[2]) break;
        }
        int other = *link;
        twins[face] = other;
        if (other >= 0) {
            twins[other] = face;
            *link = nexts[other];
            boundary_count--;
        } else {
            nexts[face] = heads[key[0]];
            heads[key[0]] = face;
            boundary_count++;
        }
    }
    return boundary_count;
}

static int add_face_vertex(build* b, const int q[4], int vertex) {
    pl_vec3 sum = {0.0, 0.0, 0.0};
    unsigned mask = 0xff;
    for (int i = 0; i < 4; i++) {
        sum = pl_add(sum, pl_vec3_load(b->mesh->positions + 3 * (size_t)q[i]));
        mask &= b->masks[q[i]];
    }
    pl_vec3_store(b->mesh->positions + 3 * (size_t)vertex, pl_scale(0.25, sum));
    b->masks[vertex] = (unsigned char)mask;
    return vertex;
}

static void put_bcc_tets(build* b, const pl_hexes* hexes, const int* twins) {
    int next = hexes->vertex_count + hexes->hex_count;
    memcpy(b->mesh->positions + 3 * (size_t)hexes->vertex_count, hexes->centres,
           3 * (size_t)hexes->hex_count * sizeof(double));
    for (int face = 0; face < 6 * hexes->hex_count; face++) {
        if (twins[face] >= 0 && twins[face] < face) continue;
        const int* corners = hexes->corners + 8 * (size_t)(face / 6);
        int q[4];
        for (int i = 0; i < 4; i++) q[i] = corners[face_corners[face % 6][i]];
        int here = hexes->vertex_count + face / 6;
        int there = twins[face] >= 0 ? hexes->vertex_count + twins[face] / 6
                                     : add_face_vertex(b, q, next++);
        for (int i = 0; i < 4; i++) put_tet(b, here, q[i], q[(i + 1) % 4], there);
    }
}

static pl_status split_bcc(build* b, const pl_hexes* hexes, pl_error* error) {
    size_t face_count = 6 * (size_t)hexes->hex_count;
    int* heads = PL_ALLOC(int, hexes->vertex_count);
    int* nexts = PL_ALLOC(int, face_count);
    int* twins = PL_ALLOC(int, face_count);
    pl_status status = PL_OK;
    if (!heads || !nexts || !twins) status = pl_fail_memory(error, "the faces of a mesh");
    if (status == PL_OK) {
        int boundary_count = match_faces(hexes, heads, nexts, twins);
        int inner_count = (6 * hexes->hex_count - boundary_count) / 2;
        if (!set_vertices(b, hexes, hexes->hex_count + boundary_count) ||
            !pl_mesh_set_tet_count(b->mesh, 4 * (inner_count + boundary_count)))
            status = pl_fail_memory(error, "a generated mesh");
    }
    if (status == PL_OK) put_bcc_tets(b, hexes, twins);
    PL_FREE(heads, int, hexes->vertex_count);
    PL_FREE(nexts, int, face_count);
    PL_FREE(twins, int, face_count);
    return status;
}

// ---- five and six tets per cell, without new vertices

// sets colours[v] to 1 or 2 so that the ends of an edge differ; each hexahedron touches an earlier
// one
static void colour_vertices(const pl_hexes* hexes, unsigned char* colours) {
    static const unsigned char parity[8] = {0, 1, 1, 0, 1, 0, 0, 1};
    for (int h = 0; h < hexes->hex_count; h++) {
        const int* corners = hexes->corners + 8 * (size_t)h;
        unsigned char first = 0; // colour of corner 0
        for (int c = 0; c < 8 && !first; c++)
            if (colours[corners[c]])
                first = parity[c] ? 3 - colours[corners[c]] : colours[corners[c]];
        if (!first) first = 1;
        for (int c = 0; c < 8; c++) colours[corners[c]] = parity[c] ? 3 - first : first;
    }
}

static void put_five_tets(build* b, const pl_hexes* hexes, const unsigned char* colours) {
    static const unsigned char even[5][4] = {
        {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}};
    for (int h = 0; h < hexes->hex_count; h++) {
        const int* corners = hexes->corners + 8 * (size_t)h;
        unsigned flip = colours[corners[0]] == 1 ? 0u : 1u; // mirrored in x
        for (int t = 0; t < 5; t++) {
            int v[4];
            for (int i = 0; i < 4; i++) v[i] = corners[even[t][i] ^ flip];
            if (flip) put_tet(b, v[0], v[1], v[2], v[3]);
            else put_tet(b, v[0], v[2], v[1], v[3]);
        }
    }
}

static void put_kuhn_tets(build* b, const pl_hexes* hexes) {
    static const unsigned char paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    for (int h = 0; h < hexes->hex_count; h++) {
        const int* c = hexes->corners + 8 * (size_t)h;
        for (int t = 0; t < 6; t++) put_tet(b, c[0], c[paths[t][0]], c[paths[t][1]], c[7]);
    }
}

static pl_status split_cells(build* b, const pl_hexes* hexes, pl_tet_pattern pattern,
                             pl_error* error) {
    int per_cell = pattern == PL_PATTERN_FIVE ? 5 : 6;
    if (!set_vertices(b, hexes, 0) || !pl_mesh_set_tet_count(b->mesh, per_cell * hexes->hex_count))
        return pl_fail_memory(error, "a generated mesh");
    if (pattern == PL_PATTERN_KUHN) {
        put_kuhn_tets(b, hexes);
        return PL_OK;
    }
    unsigned char* colours = PL_ALLOC(unsigned char, hexes->vertex_count);
    if (!colours) return pl_fail_memory(error, "a generated mesh");
    colour_vertices(hexes, colours);
    put_five_tets(b, hexes, colours);
    PL_FREE(colours, unsigned char, hexes->vertex_count);
    return PL_OK;
}

// ---- positions, boundary, regions

static void place_vertices(build* b, const pl_shape* shape) {
    pl_random random = {(uint64_t)shape->seed};
    for (int v = 0; v < b->mesh->vertex_count; v++) {
        double* position = b->mesh->positions + 3 * (size_t)v;
        if (b->masks[v] && shape->place) shape->place(shape->data, b->masks[v], position);
        if (b->masks[v] || !(shape->jitter > 0.0)) continue;
        // uniform in a ball
        pl_vec3 shift;
        do {
            shift.x = pl_random_uniform(&random, -1.0, 1.0);
            shift.y = pl_random_uniform(&random, -1.0, 1.0);
            shift.z = pl_random_uniform(&random, -1.0, 1.0);
        } while (pl_norm2(shift) > 1.0);
        pl_vec3_store(position, pl_madd(pl_vec3_load(position), shape->jitter, shift));
    }
}

// A face of a tet is on the boundary if its three vertices share a part of it: in these patterns no
// tet connects two places of one part through the inside.
static int collect_boundary(const build* b, int* triangles, unsigned char* masks) {
    int count = 0;
    for (int t = 0; t < b->mesh->tet_count; t++) {
        for (int side = 0; side < 4; side++) {
            int face[3];
            pl_tet_face(b->mesh->tets + 4 * (size_t)t, side, face);
            unsigned char mask = b->masks[face[0]] & b->masks[face[1]] & b->masks[face[2]];
            if (!mask) continue;
            if (triangles) {
                memcpy(triangles + 3 * (size_t)count, face, sizeof(face));
                masks[count] = mask;
            }
            count++;
        }
    }
    return count;
}

static pl_status add_regions(pl_mesh* mesh, const unsigned char* masks,
                             const pl_shape_region* regions, pl_error* error) {
    int* items = PL_ALLOC(int, mesh->triangle_count);
    if (!items) return pl_fail_memory(error, "the regions of a mesh");
    pl_status status = PL_OK;
    for (int r = 0; status == PL_OK && regions[r].name; r++) {
        int count = 0;
        for (int t = 0; t < mesh->triangle_count; t++)
            if (masks[t] & regions[r].mask) items[count++] = t;
        status = pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, regions[r].name, r + 1, items, count,
                                    error);
    }
    PL_FREE(items, int, mesh->triangle_count);
    return status;
}

static pl_status add_boundary(build* b, const pl_shape* shape, pl_error* error) {
    int count = collect_boundary(b, NULL, NULL);
    unsigned char* masks = PL_ALLOC(unsigned char, count);
    pl_status status = PL_OK;
    if (!masks || !pl_mesh_set_triangle_count(b->mesh, count))
        status = pl_fail_memory(error, "the boundary of a mesh");
    if (status == PL_OK) {
        collect_boundary(b, b->mesh->triangles, masks);
        status = add_regions(b->mesh, masks, shape->regions, error);
    }
    PL_FREE(masks, unsigned char, count);
    return status;
}

pl_status pl_hexes_to_mesh(const pl_hexes* hexes, const pl_shape* shape, pl_mesh** out,
                           pl_error* error) {
    *out = NULL;
    build b = {.mesh = pl_mesh_new()};
    if (!b.mesh) return pl_fail_memory(error, "a generated mesh");
    pl_status status = shape->pattern == PL_PATTERN_BCC
                           ? split_bcc(&b, hexes, error)
                           : split_cells(&b, hexes, shape->pattern, error);
    if (status == PL_OK) {
        place_vertices(&b, shape);
        status = add_boundary(&b, shape, error);
    }
    PL_FREE(b.masks, unsigned char, b.mask_count);
    if (status == PL_OK) *out = b.mesh;
    else pl_mesh_destroy(b.mesh);
    return status;
}
