// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/cloth_walk.h"
#include "material/bend_sheet.h"
#include "mesh/spring_net.h"

typedef struct walk {
    const pl_method_body* body;
    const pl_cloth_visitor* visitor;
    const pl_side_groups* sides;
} walk;

static bool visit_membranes(const walk* w) {
    const pl_mesh* mesh = w->body->mesh;
    for (int e = 0; e < mesh->triangle_count; e++) {
        const pl_element_material* m = &w->body->materials[e];
        if (m->law == PL_LAW_SPRINGS) continue;
        pl_membrane membrane = {PL_MEMBRANE_COROTATED, m->mu, m->lambda};
        if (!w->visitor->membrane(w->visitor->user, mesh->triangles + 3 * (size_t)e, &membrane))
            return false;
    }
    return true;
}

// means over the triangles on both sides of an edge
static pl_element_material mean_at(const walk* w, const pl_edge_pairs* edge) {
    pl_element_material mean = w->body->materials[edge->sides[0] / 3];
    for (int k = 1; k < edge->count; k++) {
        const pl_element_material* m = &w->body->materials[edge->sides[k] / 3];
        mean.stretch += m->stretch, mean.shear += m->shear;
    }
    mean.stretch /= edge->count, mean.shear /= edge->count;
    return mean;
}

static bool visit_springs_at(const walk* w, const pl_spring_net* net, int g, int* next_pair) {
    const pl_mesh* mesh = w->body->mesh;
    pl_edge_pairs pairs = pl_edge_pairs_of(w->sides, g);
    pl_element_material m = mean_at(w, &pairs);
    int ends[2], pair[2], side = pairs.sides[0];
    bool ok = true, springs = m.law == PL_LAW_SPRINGS;
    pl_triangle_edge(mesh->triangles + 3 * (size_t)(side / 3), side % 3, ends);
    if (springs) ok = w->visitor->spring(w->visitor->user, ends, net->edges[g] * m.stretch);
    while (ok && pl_edge_pairs_next(&pairs, pair)) {
        double part = net->across[(*next_pair)++], k = part * PL_SPRING_NET_SHEAR * m.shear;
        ends[0] = mesh->triangles[pair[0]], ends[1] = mesh->triangles[pair[1]];
        if (springs && part > 0.0 && (k > 0.0 || w->body->may_change))
            ok = w->visitor->spring(w->visitor->user, ends, k);
    }
    return ok;
}

static pl_status visit_springs(const walk* w, pl_error* error) {
    const pl_mesh* mesh = w->body->mesh;
    bool any = false, ok = true;
    for (int e = 0; e < mesh->triangle_count && !any; e++)
        any = w->body->materials[e].law == PL_LAW_SPRINGS;
    if (!any) return PL_OK;
    pl_spring_net net;
    pl_status status = pl_spring_net_create(mesh->positions, mesh->vertex_count, mesh->triangles,
                                            mesh->triangle_count, w->sides, &net, error);
    if (status != PL_OK) return status;
    for (int g = 0, next_pair = 0; ok && g < w->sides->groups.count; g++)
        ok = visit_springs_at(w, &net, g, &next_pair);
    pl_spring_net_free(&net);
    return ok ? PL_OK : pl_fail_memory(error, "the springs of a cloth");
}

static bool visit_bending(const walk* w, const pl_bend_sheet* sheet) {
    bool ok = true;
    for (int k = 0; ok && k < sheet->patch_count + sheet->hinge_count; k++) {
        const pl_bend_part* part = &sheet->parts[k];
        const pl_element_material* m = w->body->materials;
        double bend = 0.5 * (m[part->triangles[0]].bend + m[part->triangles[1]].bend), form[6];
        if (!(bend > 0.0 || w->body->may_change)) continue;
        for (int i = 0; i < 6; i++) form[i] = bend * part->form[i];
        ok = k < sheet->patch_count ? w->visitor->patch(w->visitor->user, part->corners, form)
                                    : w->visitor->hinge(w->visitor->user, part->corners, form[0]);
    }
    return ok;
}

static pl_status visit_sheet(const walk* w, pl_error* error) {
    const pl_mesh* mesh = w->body->mesh;
    bool any = w->body->may_change;
    for (int e = 0; e < mesh->triangle_count && !any; e++) any = w->body->materials[e].bend > 0.0;
    if (!any) return PL_OK;
    pl_bend_sheet sheet;
    pl_status status = pl_bend_sheet_create(mesh->positions, mesh->triangles, mesh->triangle_count,
                                            w->sides, &sheet, error);
    if (status != PL_OK) return status;
    bool ok = visit_bending(w, &sheet);
    pl_bend_sheet_free(&sheet);
    return ok ? PL_OK : pl_fail_memory(error, "the bending of a cloth");
}

pl_status pl_cloth_walk(const pl_method_body* body, const pl_cloth_visitor* visitor,
                        pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3,
                                             mesh->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    walk w = {body, visitor, &sides};
    if (!visit_membranes(&w)) status = pl_fail_memory(error, "the triangles of a cloth");
    if (status == PL_OK) status = visit_springs(&w, error);
    if (status == PL_OK) status = visit_sheet(&w, error);
    pl_side_groups_free(&sides);
    return status;
}
