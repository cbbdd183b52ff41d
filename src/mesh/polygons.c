// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Ear clipping after O'Rourke, Computational Geometry in C, section 1.6: an ear is a convex corner
// whose triangle contains no other corner. Cutting one off only changes the state of its two
// neighbours, so a face of n corners costs n^2 tests. The face is projected along its Newell
// normal, which is defined for every closed polygon, planar or not.
#include "mesh/polygons.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <limits.h>
#include <string.h>

// keeps the n^2 tests affordable even for a file full of such faces
enum { MAX_CLIPPED_CORNERS = 4000 };

pl_faces pl_faces_of_none(void) {
    return (pl_faces){.corners = pl_array_of(sizeof(int)),
                      .uvs = pl_array_of(sizeof(int)),
                      .normals = pl_array_of(sizeof(int)),
                      .ends = pl_array_of(sizeof(size_t))};
}

void pl_faces_free(pl_faces* faces) {
    pl_array_free(&faces->corners);
    pl_array_free(&faces->uvs);
    pl_array_free(&faces->normals);
    pl_array_free(&faces->ends);
}

// uvs or normals of the corners of a face, if this face or one before it has any
static bool add_numbers(const pl_faces* faces, pl_array* list, const int* numbers, int count) {
    if (!numbers && list->count == 0) return true;
    // the first face with numbers fills in -1 for the faces before it
    size_t missing = faces->corners.count - list->count;
    int* place = pl_array_add(list, missing + (size_t)count);
    if (!place) return false;
    for (size_t i = 0; i < missing; i++) place[i] = -1;
    for (int i = 0; i < count; i++) place[missing + (size_t)i] = numbers ? numbers[i] : -1;
    return true;
}

bool pl_faces_add(pl_faces* faces, const int* corners, const int* uvs, const int* normals,
                  int count) {
    if (count < 3) {
        faces->dropped_count++;
        return true;
    }
    if (!add_numbers(faces, &faces->uvs, uvs, count)) return false;
    if (!add_numbers(faces, &faces->normals, normals, count)) return false;
    int* place = pl_array_add(&faces->corners, (size_t)count);
    if (!place || !pl_array_push(&faces->ends, &faces->corners.count)) return false;
    memcpy(place, corners, (size_t)count * sizeof(int));
    faces->triangle_count += count - 2;
    return true;
}

// a face being cut: its corners in the plane, and a ring of those that are left
typedef struct clipper {
    double* x;
    double* y;
    int* next;
    int* previous;
    bool* is_ear;
    bool* is_reflex;
    pl_array memory; // memory of all these arrays, kept from face to face
} clipper;

static bool clipper_resize(clipper* c, size_t n) {
    size_t size = n * (2 * sizeof(double) + 2 * sizeof(int) + 2 * sizeof(bool));
    c->memory.count = 0;
    char* bytes = pl_array_add(&c->memory, size);
    if (!bytes) return false;
    c->x = (double*)(void*)bytes;
    c->y = c->x + n;
    c->next = (int*)(void*)(c->y + n);
    c->previous = c->next + n;
    c->is_ear = (bool*)(c->previous + n);
    c->is_reflex = c->is_ear + n;
    return true;
}

// twice the area vector of the face
static pl_vec3 newell_normal(const double* positions, const int* corners, int n) {
    pl_vec3 normal = {0, 0, 0}, origin = pl_vec3_load(positions + 3 * (size_t)corners[0]);
    for (int i = 1; i + 1 < n; i++) {
        pl_vec3 a = pl_sub(pl_vec3_load(positions + 3 * (size_t)corners[i]), origin);
        pl_vec3 b = pl_sub(pl_vec3_load(positions + 3 * (size_t)corners[i + 1]), origin);
        normal = pl_add(normal, pl_cross(a, b));
    }
    return normal;
}

// true if all corners turn the same way around the normal, in one turn in all; false with straight
// corners, where a fan may have flat triangles
static bool is_convex(const double* positions, const int* corners, int n, pl_vec3 normal) {
    pl_vec3 origin = pl_vec3_load(positions + 3 * (size_t)corners[0]);
    for (int i = 0; i < n; i++) {
        pl_vec3 a = pl_vec3_load(positions + 3 * (size_t)corners[i]);
        pl_vec3 b = pl_vec3_load(positions + 3 * (size_t)corners[(i + 1) % n]);
        pl_vec3 c = pl_vec3_load(positions + 3 * (size_t)corners[(i + 2) % n]);
        if (pl_dot(pl_cross(pl_sub(b, a), pl_sub(c, b)), normal) <= 0.0) return false;
        // all corners of a star that winds twice turn the same way too, but its fan folds back
        if (pl_dot(pl_cross(pl_sub(a, origin), pl_sub(b, origin)), normal) < 0.0) return false;
    }
    return true;
}

// the two coordinates to keep: those across the largest part of the normal, in an order that keeps
// the sense of rotation
static void project(clipper* c, const double* positions, const int* corners, int n,
                    pl_vec3 normal) {
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    int drop = x > y && x > z ? 0 : y > z ? 1 : 2;
    int u = (drop + 1) % 3, v = (drop + 2) % 3;
    double sign = (drop == 0 ? normal.x : drop == 1 ? normal.y : normal.z) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < n; i++) {
        c->x[i] = positions[3 * (size_t)corners[i] + (size_t)u];
        c->y[i] = sign * positions[3 * (size_t)corners[i] + (size_t)v];
        c->next[i] = i + 1 < n ? i + 1 : 0;
        c->previous[i] = i > 0 ? i - 1 : n - 1;
    }
}

// twice the signed area of three corners
static double area(const clipper* c, int i, int j, int k) {
    return (c->x[j] - c->x[i]) * (c->y[k] - c->y[i]) - (c->x[k] - c->x[i]) * (c->y[j] - c->y[i]);
}

static bool same_place(const clipper* c, int i, int j) {
    return c->x[i] == c->x[j] && c->y[i] == c->y[j];
}

static void update_corner(clipper* c, int i) {
    int a = c->previous[i], b = c->next[i];
    double turn = area(c, a, i, b);
    c->is_reflex[i] = turn <= 0.0;
    c->is_ear[i] = false;
    if (!(turn > 0.0)) return;
    // only a reflex corner can lie inside the triangle
    for (int k = c->next[b]; k != a; k = c->next[k]) {
        if (!c->is_reflex[k] || same_place(c, k, a) || same_place(c, k, i) || same_place(c, k, b))
            continue;
        if (area(c, a, i, k) >= 0.0 && area(c, i, b, k) >= 0.0 && area(c, b, a, k) >= 0.0) return;
    }
    c->is_ear[i] = true;
}

// the next ear, starting from a corner; the corner itself if there is none (self-crossing or flat
// faces)
static int find_ear(const clipper* c, int from) {
    int i = from;
    do {
        if (c->is_ear[i]) return i;
        i = c->next[i];
    } while (i != from);
    return from;
}

static void clip_ears(clipper* c, int n, int (*out)[3]) {
    for (int i = 0; i < n; i++) c->is_reflex[i] = area(c, c->previous[i], i, c->next[i]) <= 0.0;
    for (int i = 0; i < n; i++) update_corner(c, i);
    int at = 0;
    for (int t = 0; t < n - 2; t++) {
        int ear = find_ear(c, at), a = c->previous[ear], b = c->next[ear];
        out[t][0] = a, out[t][1] = ear, out[t][2] = b;
        c->next[a] = b;
        c->previous[b] = a;
        update_corner(c, a);
        update_corner(c, b);
        at = b;
    }
}

static void fan(int n, int (*out)[3]) {
    for (int t = 0; t < n - 2; t++) out[t][0] = 0, out[t][1] = t + 1, out[t][2] = t + 2;
}

// cuts the face into n - 2 triangles
static pl_status cut(clipper* c, const pl_mesh* mesh, const int* corners, size_t n, size_t face,
                     const char* path, int (*out)[3], pl_error* error) {
    pl_vec3 normal = newell_normal(mesh->positions, corners, (int)n);
    if (n == 3 || is_convex(mesh->positions, corners, (int)n, normal)) {
        fan((int)n, out);
        return PL_OK;
    }
    if (n > MAX_CLIPPED_CORNERS)
        return pl_fail(
            error, PL_ERROR_LIMIT,
            "%s: face %zu has %zu corners and is not strictly convex; above %d corners only "
            "such faces are cut into triangles",
            path, face, n, MAX_CLIPPED_CORNERS);
    if (!clipper_resize(c, n)) return pl_fail_memory(error, path);
    project(c, mesh->positions, corners, (int)n, normal);
    clip_ears(c, (int)n, out);
    return PL_OK;
}

static pl_status check_corners(const pl_faces* faces, const char* path, int vertex_count,
                               pl_error* error) {
    const int* corners = faces->corners.data;
    const size_t* ends = faces->ends.data;
    for (size_t f = 0, i = 0; f < faces->ends.count; f++)
        for (; i < ends[f]; i++)
            if (corners[i] < 0 || corners[i] >= vertex_count)
                return pl_fail(error, PL_ERROR_MESH,
                               "%s: face %zu refers to vertex %d (counted from 0), but there are "
                               "%d vertices",
                               path, f, corners[i], vertex_count);
    return PL_OK;
}

static pl_status cut_all(const pl_faces* faces, const char* path, pl_mesh* mesh, clipper* c,
                         pl_array* scratch, pl_error* error) {
    const int* corners = faces->corners.data;
    const int* uvs = mesh->triangle_uvs ? faces->uvs.data : NULL;
    const int* normals = mesh->triangle_normals ? faces->normals.data : NULL;
    const size_t* ends = faces->ends.data;
    size_t triangle = 0;
    for (size_t f = 0, begin = 0; f < faces->ends.count; begin = ends[f++]) {
        size_t n = ends[f] - begin;
        scratch->count = 0;
        int(*local)[3] = pl_array_add(scratch, n - 2);
        if (!local) return pl_fail_memory(error, path);
        pl_status status = cut(c, mesh, corners + begin, n, f, path, local, error);
        if (status != PL_OK) return status;
        for (size_t t = 0; t < n - 2; t++, triangle++) {
            if (mesh->triangle_faces) mesh->triangle_faces[triangle] = (int)f;
            for (size_t k = 0; k < 3; k++) {
                size_t corner = begin + (size_t)local[t][k];
                mesh->triangles[3 * triangle + k] = corners[corner];
                if (uvs) mesh->triangle_uvs[3 * triangle + k] = uvs[corner];
                if (normals) mesh->triangle_normals[3 * triangle + k] = normals[corner];
            }
        }
    }
    return PL_OK;
}

// allocates the triangles and what the faces specify for them
static bool make_room(const pl_faces* faces, pl_mesh* mesh) {
    if (!pl_mesh_set_triangle_count(mesh, (int)faces->triangle_count)) return false;
    size_t count = (size_t)mesh->triangle_count;
    if (count == 0) return true;
    if (faces->uvs.count && !(mesh->triangle_uvs = PL_ALLOC(int, 3 * count))) return false;
    if (faces->normals.count && !(mesh->triangle_normals = PL_ALLOC(int, 3 * count))) return false;
    return faces->ends.count == count || (mesh->triangle_faces = PL_ALLOC(int, count));
}

pl_status pl_faces_to_mesh(const pl_faces* faces, const char* path, pl_mesh* mesh, pl_notes* notes,
                           pl_error* error) {
    if (faces->dropped_count)
        pl_note(notes, PL_NOTE_MENDED, "%s: %lld faces with fewer than three corners were dropped",
                path, (long long)faces->dropped_count);
    if (faces->triangle_count > INT_MAX / 3)
        return pl_fail(error, PL_ERROR_LIMIT, "%s: %lld triangles are more than pliant can handle",
                       path, (long long)faces->triangle_count);
    pl_status status = check_corners(faces, path, mesh->vertex_count, error);
    if (status != PL_OK) return status;
    if (!make_room(faces, mesh)) return pl_fail_memory(error, path);
    clipper c = {.memory = pl_array_of(1)};
    pl_array scratch = pl_array_of(3 * sizeof(int));
    status = cut_all(faces, path, mesh, &c, &scratch, error);
    pl_array_free(&scratch);
    pl_array_free(&c.memory);
    return status;
}

int pl_face_end(const pl_mesh* mesh, int first) {
    int end = first + 1;
    const int* faces = mesh->triangle_faces;
    while (faces && end < mesh->triangle_count && faces[end] == faces[first]) end++;
    return end;
}

// finds a side of the triangles from vertex a to b (or to any vertex if b < 0) that is not shared
// by another triangle of the face; SIZE_MAX if there is none
static size_t find_rim(const int* v, size_t begin, size_t end, int a, int b) {
    for (size_t i = begin; i < end; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        if (v[i] != a || (b >= 0 && v[next] != b)) continue;
        if (b >= 0 || find_rim(v, begin, end, v[next], a) == SIZE_MAX) return i;
    }
    return SIZE_MAX;
}

bool pl_face_corners(const pl_mesh* mesh, int first, int end, size_t* corners) {
    const int* v = mesh->triangles;
    size_t begin = 3 * (size_t)first, stop = 3 * (size_t)end, count = (size_t)(end - first) + 2;
    bool is_fan = true;
    for (size_t i = begin + 3; is_fan && i < stop; i += 3)
        is_fan = v[i] == v[begin] && v[i + 1] == v[i - 1];
    if (is_fan) {
        for (size_t k = 0; k < count; k++) corners[k] = k < 2 ? begin + k : begin + 3 * (k - 2) + 2;
        return true;
    }
    // the first side of the first triangle is always a side of the polygon
    corners[0] = begin;
    for (size_t k = 1; k < count; k++) {
        size_t at = corners[k - 1], next = at % 3 == 2 ? at - 2 : at + 1;
        corners[k] = find_rim(v, begin, stop, v[next], -1);
        if (corners[k] == SIZE_MAX || corners[k] == begin) return false;
    }
    size_t last = corners[count - 1];
    return v[last % 3 == 2 ? last - 2 : last + 1] == v[begin];
}
