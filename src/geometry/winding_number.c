// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fast winding numbers: G. Barill, N. Dickson, R. Schmidt, D. Levin, A. Jacobson, "Fast winding
// numbers for soups and clouds", 2018, section 3 (Taylor expansion of the solid angle over the
// nodes of a tree; here up to the second term). Near triangles use the formula of A. van Oosterom
// and J. Strackee, 1983.
//
// paper: n_tilde = dipole, p_tilde = center, beta = accuracy.
#include "geometry/winding_number.h"
#include "base/memory.h"

static const double four_pi = 12.566370614359172954;

static void add_moment(double* moment, pl_vec3 offset, pl_vec3 vector) {
    const double o[3] = {offset.x, offset.y, offset.z}, v[3] = {vector.x, vector.y, vector.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) moment[3 * i + j] += o[i] * v[j];
}

static pl_vec3 area_vector(const pl_vec3* c) {
    return pl_scale(0.5, pl_cross(pl_sub(c[1], c[0]), pl_sub(c[2], c[0])));
}

static pl_vec3 centroid(const pl_vec3* c) {
    return pl_scale(1.0 / 3.0, pl_add(c[0], pl_add(c[1], c[2])));
}

static pl_vec3 center_of_mass(const pl_winding_node* m, pl_box box) {
    return m->area > 0.0 && isfinite(m->area) ? pl_scale(1.0 / m->area, m->sum)
                                              : pl_box_center(box);
}

static double radius_of(pl_box box, pl_vec3 center) {
    return pl_norm(pl_max3(pl_sub(box.high, center), pl_sub(center, box.low)));
}

static void sum_leaf(const pl_winding* w, int index) {
    const pl_bvh_node* leaf = &w->tree->bvh.nodes[index];
    pl_winding_node* node = &w->nodes[index];
    const pl_vec3* corners = w->tree->corners + 3 * (size_t)leaf->right;
    for (int s = 0; s < leaf->count; s++) {
        double area = pl_norm(area_vector(corners + 3 * s));
        node->area += area;
        node->sum = pl_madd(node->sum, area, centroid(corners + 3 * s));
    }
    node->center = center_of_mass(node, leaf->box);
    for (int s = 0; s < leaf->count; s++) {
        pl_vec3 vector = area_vector(corners + 3 * s);
        node->dipole = pl_add(node->dipole, vector);
        add_moment(node->moment, pl_sub(centroid(corners + 3 * s), node->center), vector);
    }
}

static void sum_children(const pl_winding* w, int index) {
    const pl_bvh_node* inner = &w->tree->bvh.nodes[index];
    pl_winding_node* node = &w->nodes[index];
    int children[2] = {index + 1, inner->right};
    node->area = w->nodes[children[0]].area + w->nodes[children[1]].area;
    node->sum = pl_add(w->nodes[children[0]].sum, w->nodes[children[1]].sum);
    node->center = center_of_mass(node, inner->box);
    for (int k = 0; k < 2; k++) {
        const pl_winding_node* child = &w->nodes[children[k]];
        node->dipole = pl_add(node->dipole, child->dipole);
        for (int i = 0; i < 9; i++) node->moment[i] += child->moment[i];
        add_moment(node->moment, pl_sub(child->center, node->center), child->dipole);
    }
}

void pl_winding_refit(pl_winding* w) {
    const pl_bvh* bvh = &w->tree->bvh;
    // children come after their parents, so a backward loop computes them first
    for (int i = bvh->node_count - 1; i >= 0; i--) {
        w->nodes[i] = (pl_winding_node){0};
        if (bvh->nodes[i].count) sum_leaf(w, i);
        else sum_children(w, i);
        w->nodes[i].radius = radius_of(bvh->nodes[i].box, w->nodes[i].center);
    }
}

pl_status pl_winding_build(const pl_triangle_tree* tree, pl_winding* out, pl_error* error) {
    *out = (pl_winding){.tree = tree};
    if (tree->bvh.node_count == 0) return PL_OK;
    out->nodes = PL_ALLOC(pl_winding_node, tree->bvh.node_capacity);
    if (!out->nodes) return pl_fail_memory(error, "winding numbers");
    pl_winding_refit(out);
    return PL_OK;
}

void pl_winding_free(pl_winding* winding) {
    if (winding->nodes) PL_FREE(winding->nodes, pl_winding_node, winding->tree->bvh.node_capacity);
    *winding = (pl_winding){0};
}

// the solid angle under which p sees a triangle, positive from behind
static double solid_angle(pl_vec3 p, const pl_vec3* corners) {
    pl_vec3 a = pl_sub(corners[0], p), b = pl_sub(corners[1], p), c = pl_sub(corners[2], p);
    double la = pl_norm(a), lb = pl_norm(b), lc = pl_norm(c);
    double up = pl_dot(a, pl_cross(b, c));
    double down = la * lb * lc + pl_dot(a, b) * lc + pl_dot(b, c) * la + pl_dot(c, a) * lb;
    // zero in the plane of the triangle; atan2 would give +-pi for a point on it
    return up == 0.0 ? 0.0 : 2.0 * atan2(up, down);
}

// n . r / |r|^3 + tr(M) / |r|^3 - 3 r' M r / |r|^5
static double far_angle(const pl_winding_node* node, pl_vec3 r, double r2) {
    double inverse2 = 1.0 / r2, inverse3 = inverse2 * sqrt(inverse2);
    const double* m = node->moment;
    double trace = m[0] + m[4] + m[8];
    double form = r.x * (m[0] * r.x + m[1] * r.y + m[2] * r.z) +
                  r.y * (m[3] * r.x + m[4] * r.y + m[5] * r.z) +
                  r.z * (m[6] * r.x + m[7] * r.y + m[8] * r.z);
    return inverse3 * (pl_dot(node->dipole, r) + trace - 3.0 * form * inverse2);
}

double pl_winding_number(const pl_winding* winding, pl_vec3 p, double accuracy) {
    const pl_bvh* bvh = &winding->tree->bvh;
    double sum = 0.0;
    int stack[PL_BVH_STACK], top = 0;
    if (bvh->node_count) stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const pl_winding_node* node = &winding->nodes[index];
        pl_vec3 r = pl_sub(node->center, p);
        double r2 = pl_norm2(r), reach = accuracy * node->radius;
        if (r2 > reach * reach) {
            sum += far_angle(node, r, r2);
        } else if (bvh->nodes[index].count == 0) {
            stack[top++] = bvh->nodes[index].right;
            stack[top++] = index + 1;
        } else {
            const pl_bvh_node* leaf = &bvh->nodes[index];
            for (int s = leaf->right; s < leaf->right + leaf->count; s++)
                sum += solid_angle(p, winding->tree->corners + 3 * (size_t)s);
        }
    }
    return sum / four_pi;
}

bool pl_winding_inside(const pl_winding* winding, pl_vec3 p) {
    double rough = fabs(pl_winding_number(winding, p, 2.0));
    if (fabs(rough - 0.5) > 0.1) return rough > 0.5;
    return fabs(pl_winding_number(winding, p, 8.0)) > 0.5;
}
