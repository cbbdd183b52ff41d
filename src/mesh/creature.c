// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/creature.h"
#include "base/memory.h"
#include "geometry/distance.h"
#include "mesh/creature_uvs.h"
#include "mesh/stuffing.h"
#include "mesh/surface.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- parts

// transforms a point to the frame of a part: undoes lean, then bow
static pl_vec3 to_part(const pl_part* p, pl_vec3 x) {
    pl_vec3 d = pl_sub(x, p->a);
    double s = p->lean, c = sqrt(1.0 - s * s);
    d = (pl_vec3){c * d.x - s * d.y, s * d.x + c * d.y, d.z};
    s = p->bow, c = sqrt(1.0 - s * s);
    return (pl_vec3){d.x, c * d.y + s * d.z, -s * d.y + c * d.z};
}

// approximately the signed distance: the sign is exact, and the value to first order at the surface
static double ellipsoid(const pl_part* p, pl_vec3 x) {
    pl_vec3 d = to_part(p, x), r = p->b;
    pl_vec3 u = {d.x / r.x, d.y / r.y, d.z / r.z};
    pl_vec3 v = {u.x / r.x, u.y / r.y, u.z / r.z};
    double k = pl_norm(u), g = pl_norm(v);
    double value = g > 0.0 ? k * (k - 1.0) / g : -fmin(r.x, fmin(r.y, r.z));
    return p->ripple > 0.0 ? value - p->ripple * cos(p->waves * d.y / r.y) : value;
}

// A rounded cone touches both of its spheres along circles. In the plane of its axis (t along, q
// away from it) its side is the line with normal (s, c), s = (ra - rb) / length; m runs along it.
static double limb(const pl_part* p, pl_vec3 x) {
    pl_vec3 axis = pl_sub(p->b, p->a), d = pl_sub(x, p->a);
    double length = pl_norm(axis), s = (p->ra - p->rb) / length;
    if (!(fabs(s) < 1.0)) // one sphere contains the other
        return p->ra > p->rb ? pl_norm(d) - p->ra : pl_norm(pl_sub(x, p->b)) - p->rb;
    double c = sqrt(1.0 - s * s), t = pl_dot(d, axis) / length;
    double q = sqrt(fmax(0.0, pl_dot(d, d) - t * t)), m = c * t - s * q;
    if (m <= 0.0) return pl_norm(d) - p->ra;
    if (m >= c * length) return hypot(t - length, q) - p->rb;
    return s * t + c * q - p->ra;
}

static double fin(const pl_part* p, pl_vec3 x) {
    pl_triangle_point nearest = pl_closest_on_triangle(x, p->a, p->b, p->c);
    return pl_norm(pl_sub(x, nearest.point)) - p->ra;
}

static double block(const pl_part* p, pl_vec3 x) {
    pl_vec3 d = to_part(p, x);
    pl_vec3 q = {fabs(d.x) - p->b.x + p->ra, fabs(d.y) - p->b.y + p->ra,
                 fabs(d.z) - p->b.z + p->ra};
    pl_vec3 out = {fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)};
    return pl_norm(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0) - p->ra;
}

static double part_value(const pl_part* p, pl_vec3 x) {
    switch (p->kind) {
    case PL_PART_LIMB: return limb(p, x);
    case PL_PART_FIN: return fin(p, x);
    case PL_PART_BLOCK: return block(p, x);
    default: return ellipsoid(p, x);
    }
}

// A lower bound of a part's value, cheaper than the value. Of an ellipsoid: k / g is no less than
// the smallest radius, and k no less than the distance from the middle over the largest.
static double least_value(const pl_part* p, pl_vec3 x) {
    pl_vec3 middle = p->a;
    double reach = 0.0;
    if (p->kind == PL_PART_ELLIPSOID) {
        double least = fmin(p->b.x, fmin(p->b.y, p->b.z)),
               most = fmax(p->b.x, fmax(p->b.y, p->b.z));
        double k = pl_norm(pl_sub(x, middle)) / most;
        return k > 1.0 ? least * (k - 1.0) - p->ripple : -INFINITY;
    }
    if (p->kind == PL_PART_BLOCK) reach = pl_norm(p->b);
    if (p->kind == PL_PART_LIMB) {
        middle = pl_scale(0.5, pl_add(p->a, p->b));
        reach = 0.5 * pl_norm(pl_sub(p->b, p->a)) + fmax(p->ra, p->rb);
    }
    if (p->kind == PL_PART_FIN)
        reach = fmax(pl_norm(pl_sub(p->b, p->a)), pl_norm(pl_sub(p->c, p->a))) + p->ra;
    return pl_norm(pl_sub(x, middle)) - reach;
}

// ---------------------------------------------------------------- the whole

// the lower of two values with a rounded seam, where they differ by less than width
static double blend_union(double a, double b, double width) {
    double lower = a < b ? a : b, overlap = width - fabs(a - b);
    return overlap > 0.0 ? lower - 0.25 * overlap * overlap / width : lower;
}

double pl_creature_value(const pl_creature* creature, pl_vec3 x, int* owner) {
    if (creature->symmetric) x.x = fabs(x.x);
    double value = part_value(&creature->parts[0], x), nearest = value;
    if (owner) *owner = 0;
    for (int i = 1; i < creature->part_count; i++) {
        const pl_part* p = &creature->parts[i];
        if (!p->carves && least_value(p, x) > value + p->blend) continue;
        double own = part_value(p, x);
        value = p->carves ? -blend_union(-value, own, p->blend) : blend_union(value, own, p->blend);
        if (!owner || p->carves || own >= nearest) continue;
        nearest = own;
        *owner = i;
    }
    return creature->flat_soles ? -blend_union(-value, x.y, 0.01) : value;
}

static void grow_box(pl_creature* creature, pl_vec3 middle, double x, double y, double z) {
    creature->low = pl_min3(creature->low, pl_sub(middle, (pl_vec3){x, y, z}));
    creature->high = pl_max3(creature->high, pl_add(middle, (pl_vec3){x, y, z}));
}

void pl_creature_measure(pl_creature* creature) {
    creature->low = (pl_vec3){INFINITY, INFINITY, INFINITY};
    creature->high = (pl_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < creature->part_count; i++) {
        const pl_part* p = &creature->parts[i];
        if (p->carves) continue;
        double seam = 0.25 * p->blend + p->ripple;
        if (p->kind == PL_PART_LIMB || p->kind == PL_PART_FIN) {
            double r = p->ra + seam, end = p->kind == PL_PART_FIN ? r : p->rb + seam;
            grow_box(creature, p->a, r, r, r);
            grow_box(creature, p->b, end, end, end);
            if (p->kind == PL_PART_FIN) grow_box(creature, p->c, r, r, r);
        } else {
            bool tilted = p->lean != 0.0 || p->bow != 0.0;
            double r = pl_norm(p->b), round = fmax(p->b.x, fmax(p->b.y, p->b.z));
            if (p->kind == PL_PART_ELLIPSOID) r = round;
            pl_vec3 s = tilted ? (pl_vec3){r, r, r} : p->b;
            grow_box(creature, p->a, s.x + seam, s.y + seam, s.z + seam);
        }
    }
    if (creature->symmetric) creature->low.x = -creature->high.x;
    if (creature->flat_soles) creature->low.y = 0.0;
}

// ---------------------------------------------------------------- regions

// the name of a region; parts beside the plane of symmetry get the name of their side
static void region_name(const pl_creature* creature, int part, double x, char* name, size_t size) {
    int named = part;
    while (named > 0 && !creature->parts[named].region) named--;
    const char* region = creature->parts[named].region ? creature->parts[named].region : "body";
    bool beside = creature->symmetric && creature->parts[part].a.x > 0.0;
    snprintf(name, size, "%s%s", region, !beside ? "" : x > 0.0 ? "_left" : "_right");
}

enum { REGION_LIMIT = 128 };

// The regions of a creature: names, and the region of each part on each side.
typedef struct region_table {
    char names[REGION_LIMIT][64];
    int count;
    int of_part[2 * REGION_LIMIT][2]; // left or middle, right
} region_table;

typedef struct naming {
    const pl_creature* creature;
    double height;
    pl_mesh* mesh;
    region_table* table;
    int* owners; // the region of each element
    int* items;
} naming;

static int find_region(region_table* table, const char* name) {
    int i = 0;
    while (i < table->count && strcmp(table->names[i], name) != 0) i++;
    if (i == REGION_LIMIT) return REGION_LIMIT - 1;
    if (i == table->count) snprintf(table->names[table->count++], 64, "%s", name);
    return i;
}

static void list_regions(const pl_creature* creature, region_table* table) {
    PL_ASSERT(creature->part_count <= 2 * REGION_LIMIT);
    for (int part = 0; part < creature->part_count; part++)
        for (int side = 0; side < 2; side++) {
            char name[64];
            region_name(creature, part, side ? -1.0 : 1.0, name, sizeof name);
            table->of_part[part][side] = find_region(table, name);
        }
}

static int owner_of(const naming* n, const int* corners, int corner_count) {
    pl_vec3 middle = {0};
    for (int c = 0; c < corner_count; c++) {
        pl_vec3 x = pl_vec3_load(n->mesh->positions + 3 * (size_t)corners[c]);
        middle = pl_add(middle, pl_scale(1.0 / (corner_count * n->height), x));
    }
    int part;
    pl_creature_value(n->creature, middle, &part);
    return n->table->of_part[part][middle.x < 0.0];
}

// adds the regions of one kind of element
static pl_status add_regions(naming* n, pl_element_kind kind, int count, pl_error* error) {
    const int* corners = kind == PL_ELEMENT_TET ? n->mesh->tets : n->mesh->triangles;
    int corner_count = kind == PL_ELEMENT_TET ? 4 : 3;
    for (int i = 0; i < count; i++)
        n->owners[i] = owner_of(n, corners + (size_t)corner_count * (size_t)i, corner_count);
    pl_status status = PL_OK;
    for (int r = 0; r < n->table->count && status == PL_OK; r++) {
        int found = 0;
        for (int i = 0; i < count; i++)
            if (n->owners[i] == r) n->items[found++] = i;
        if (found > 0)
            status =
                pl_mesh_add_region(n->mesh, kind, n->table->names[r], 0, n->items, found, error);
    }
    return status;
}

// "surface": all triangles of the boundary; "soles": those on the ground
static pl_status add_surface_regions(naming* n, pl_error* error) {
    const pl_mesh* mesh = n->mesh;
    int sole_count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double highest = 0.0;
        for (int k = 0; k < 3; k++)
            highest = fmax(highest, mesh->positions[3 * (size_t)mesh->triangles[3 * t + k] + 1]);
        if (highest < 0.01 * n->height) n->items[sole_count++] = t;
    }
    pl_status status = PL_OK;
    if (n->creature->flat_soles && sole_count > 0)
        status = pl_mesh_add_region(n->mesh, PL_ELEMENT_TRIANGLE, "soles", 0, n->items, sole_count,
                                    error);
    for (int t = 0; t < mesh->triangle_count; t++) n->items[t] = t;
    if (status == PL_OK)
        status = pl_mesh_add_region(n->mesh, PL_ELEMENT_TRIANGLE, "surface", 0, n->items,
                                    mesh->triangle_count, error);
    return status;
}

static pl_status take_boundary(pl_mesh* mesh, pl_error* error) {
    pl_boundary boundary;
    pl_status status = pl_boundary_create(mesh, &boundary, error);
    if (status != PL_OK) return status;
    if (!pl_mesh_set_triangle_count(mesh, boundary.count))
        status = pl_fail_memory(error, "a creature's surface");
    for (int i = 0; status == PL_OK && i < 3 * boundary.count; i++)
        mesh->triangles[i] = boundary.triangles[i];
    pl_boundary_free(&boundary);
    return status;
}

static pl_status name_regions(const pl_creature* creature, double height, pl_mesh* mesh,
                              pl_error* error) {
    pl_status status = take_boundary(mesh, error);
    if (status != PL_OK) return status;
    int count = mesh->tet_count > mesh->triangle_count ? mesh->tet_count : mesh->triangle_count;
    naming n = {creature,
                height,
                mesh,
                PL_ALLOC(region_table, 1),
                PL_ALLOC(int, count),
                PL_ALLOC(int, count)};
    if (!n.table || !n.owners || !n.items) status = pl_fail_memory(error, "a creature's regions");
    if (status == PL_OK) {
        list_regions(creature, n.table);
        status = add_surface_regions(&n, error);
    }
    if (status == PL_OK) status = add_regions(&n, PL_ELEMENT_TRIANGLE, mesh->triangle_count, error);
    if (status == PL_OK) status = add_regions(&n, PL_ELEMENT_TET, mesh->tet_count, error);
    PL_FREE(n.table, region_table, 1);
    PL_FREE(n.owners, int, count);
    PL_FREE(n.items, int, count);
    return status;
}

// ---------------------------------------------------------------- tets

typedef struct sampled {
    const pl_creature* creature;
    double height;
} sampled;

static void sample(const double* points, int count, double* values, void* user) {
    const sampled* s = user;
    for (int i = 0; i < count; i++) {
        pl_vec3 x = pl_scale(1.0 / s->height, pl_vec3_load(points + 3 * (size_t)i));
        values[i] = s->height * pl_creature_value(s->creature, x, NULL);
    }
}

pl_status pl_creature_create(const pl_creature* creature, double height,
                             const pl_tetrahedralise_options* options, pl_mesh** out,
                             pl_notes* notes, pl_error* error) {
    *out = NULL;
    if (!(height > 0.0) || !isfinite(height))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a %s %g m tall is asked for; give a positive height", creature->name,
                       height);
    double low[3], high[3];
    pl_vec3_store(low, pl_scale(height, creature->low));
    pl_vec3_store(high, pl_scale(height, creature->high));
    sampled s = {creature, height};
    pl_status status =
        pl_tetrahedralise_implicit(sample, &s, low, high, options, out, notes, error);
    if (status == PL_OK) status = name_regions(creature, height, *out, error);
    if (status == PL_OK) status = pl_mesh_project_uvs(*out, error);
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

pl_status pl_generate_creature(const pl_creature* creature, const pl_generate_options* options,
                               pl_mesh** out, pl_error* error) {
    pl_tetrahedralise_options how = pl_default_tetrahedralise_options();
    how.edge = options->edge;
    return pl_creature_create(creature, options->height, &how, out, NULL, error);
}
