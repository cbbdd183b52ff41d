// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The material of each element: from the body's material, then those of regions, then varying
// parameters.
#include "base/memory.h"
#include "world/world_build.h"

#include <math.h>
#include <string.h>

// the member of a material that varies
static double* parameter_of(pl_material_def* def, pl_material_key key) {
    switch (key) {
    case PL_VARY_DENSITY: return &def->density;
    case PL_VARY_AREA_DENSITY: return &def->area_density;
    case PL_VARY_YOUNG: return &def->young;
    case PL_VARY_POISSON: return &def->poisson;
    case PL_VARY_MU: return &def->mu;
    case PL_VARY_LAMBDA: return &def->lambda;
    case PL_VARY_BULK: return &def->bulk;
    case PL_VARY_MU2: return &def->mu2;
    case PL_VARY_THICKNESS: return &def->thickness;
    case PL_VARY_STRETCH: return &def->stretch;
    case PL_VARY_SHEAR: return &def->shear;
    case PL_VARY_BEND: return &def->bend;
    default: return NULL;
    }
}

static pl_vec3 element_middle(const pl_mesh* mesh, bool is_cloth, int e) {
    int corners = is_cloth ? 3 : 4;
    const int* v = (is_cloth ? mesh->triangles : mesh->tets) + (size_t)e * (size_t)corners;
    pl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < corners; i++)
        sum = pl_add(sum, pl_vec3_load(mesh->positions + 3 * (size_t)v[i]));
    return pl_scale(1.0 / corners, sum);
}

// the extent of the mesh along a direction
static void reach_along(const pl_mesh* mesh, pl_vec3 direction, double* low, double* high) {
    *low = HUGE_VAL, *high = -HUGE_VAL;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double at = pl_dot(direction, pl_vec3_load(mesh->positions + 3 * (size_t)v));
        *low = fmin(*low, at), *high = fmax(*high, at);
    }
}

typedef struct variation_map {
    const pl_variation* variation;
    const pl_field* field;
    pl_vec3 direction;
    double low, high;
} variation_map;

static pl_status prepare_variation(const pl_variation* variation, const pl_mesh* mesh,
                                   bool is_cloth, variation_map* out, pl_error* error) {
    *out = (variation_map){.variation = variation};
    if (variation->kind == PL_VARIATION_FIELD) {
        out->field = pl_mesh_field(mesh, is_cloth ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET,
                                   variation->field.name);
        if (!out->field)
            return pl_fail(error, PL_ERROR_MESH,
                           "the mesh has no field \"%s\" on its %s; `pliant info` lists fields",
                           variation->field.name, is_cloth ? "triangles" : "tets");
        return PL_OK;
    }
    out->direction = pl_normalize(pl_vec3_load(variation->gradient.direction));
    reach_along(mesh, out->direction, &out->low, &out->high);
    return PL_OK;
}

static double varied_value(const variation_map* map, pl_vec3 at, int e) {
    if (map->field)
        return map->variation->field.scale *
               map->field->values[(size_t)e * (size_t)map->field->components];
    const pl_gradient* g = &map->variation->gradient;
    double t = map->high > map->low
                   ? (pl_dot(map->direction, at) - map->low) / (map->high - map->low)
                   : 0.0;
    return g->spacing == PL_SPACING_LOGARITHMIC ? g->from * pow(g->to / g->from, t)
                                                : g->from + t * (g->to - g->from);
}

// shear over stretch of isotropic springs (mesh/spring_net.h)
static const double ISOTROPIC_SHEAR = 3.0 / 8.0;

static pl_element_material element_of(const pl_material_def* def, bool is_cloth) {
    pl_element_material m;
    memset(&m, 0, sizeof m); // padding too: materials are compared as bytes
    m.law = def->law;
    m.density = is_cloth ? def->area_density : def->density;
    m.mu2 = def->mu2;
    m.stretch = def->stretch;
    m.shear = isnan(def->shear) ? ISOTROPIC_SHEAR * def->stretch : def->shear;
    m.bend = def->bend;
    pl_material_def_lame(def, &m.mu, &m.lambda);
    if (!is_cloth) return m;
    // the first Lame parameter in plane stress; at Poisson's ratio 0.5, that of a solid would be
    // infinite
    m.lambda = isinf(m.lambda) ? 2.0 * m.mu : 2.0 * m.mu * m.lambda / (m.lambda + 2.0 * m.mu);
    m.mu *= def->thickness, m.lambda *= def->thickness;
    return m;
}

// per element: the material of the last region that contains it, or the body's
static pl_status choose_defs(const pl_body* body, const pl_mesh* mesh, bool is_cloth,
                             const pl_material_def** defs, int count, pl_error* error) {
    pl_element_kind kind = is_cloth ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET;
    for (int e = 0; e < count; e++) defs[e] = &body->material;
    for (int k = 0; k < body->region_count; k++) {
        const pl_region* region = pl_mesh_region(mesh, kind, body->regions[k].region);
        if (!region)
            return pl_fail(error, PL_ERROR_MESH,
                           "the mesh has no region \"%s\" of %s; `pliant info` lists regions",
                           body->regions[k].region, is_cloth ? "triangles" : "tets");
        for (int i = 0; i < region->count; i++) defs[region->items[i]] = &body->regions[k].material;
    }
    return PL_OK;
}

// Method mixed supports incompressible materials, but not those with a negative lambda.
static bool is_lambda_known(const pl_element_material* m, pl_method method) {
    return method == PL_METHOD_MIXED ? m->lambda >= 0.0 : isfinite(m->lambda) != 0;
}

static pl_status check_value(const pl_element_material* m, pl_method method, int e,
                             pl_error* error) {
    if (m->law == PL_LAW_MOONEY_RIVLIN && m->mu2 > m->mu)
        return pl_fail(error, PL_ERROR_MESH,
                       "element %d gets mu2 %g and a shear modulus of %g; mu2 is a part of the "
                       "shear modulus, so it must not exceed it",
                       e, m->mu2, m->mu);
    if (m->density > 0.0 && m->mu >= 0.0 && isfinite(m->mu) && is_lambda_known(m, method) &&
        isfinite(m->density))
        return PL_OK;
    return pl_fail(
        error, PL_ERROR_MESH,
        "element %d gets density %g, mu %g and lambda %g; all must be finite, density above 0%s", e,
        m->density, m->mu, m->lambda, method == PL_METHOD_MIXED ? ", lambda not below 0" : "");
}

struct pl_material_maps {
    const pl_body* body;
    const pl_mesh* mesh;
    bool is_cloth;
    int count; // of elements
    const pl_material_def** defs;
    variation_map* maps;
    double scale; // factor on all stiffness
};

void pl_material_maps_destroy(pl_material_maps* m) {
    if (!m) return;
    PL_FREE(m->defs, const pl_material_def*, m->count);
    PL_FREE(m->maps, variation_map, m->body->variation_count);
    PL_FREE(m, pl_material_maps, 1);
}

pl_status pl_material_maps_create(const pl_body* body, const pl_mesh* mesh, bool is_cloth,
                                  pl_material_maps** out, pl_error* error) {
    *out = NULL;
    pl_material_maps* m = PL_ALLOC(pl_material_maps, 1);
    if (!m) return pl_fail_memory(error, "materials");
    *m = (pl_material_maps){body, mesh, is_cloth, is_cloth ? mesh->triangle_count : mesh->tet_count,
                            NULL, NULL, 1.0};
    m->defs = PL_ALLOC(const pl_material_def*, m->count);
    m->maps = PL_ALLOC(variation_map, body->variation_count);
    pl_status status = PL_OK;
    if ((!m->defs && m->count) || (!m->maps && body->variation_count))
        status = pl_fail_memory(error, "materials");
    if (status == PL_OK) status = choose_defs(body, mesh, is_cloth, m->defs, m->count, error);
    for (int k = 0; status == PL_OK && k < body->variation_count; k++)
        status = prepare_variation(&body->variations[k], mesh, is_cloth, &m->maps[k], error);
    if (status == PL_OK) *out = m;
    else pl_material_maps_destroy(m);
    return status;
}

void pl_material_maps_scale(pl_material_maps* m, double scale) { m->scale = scale; }
double pl_material_maps_scale_of(const pl_material_maps* m) { return m->scale; }

enum { ELEMENT_BLOCK = 4096 };

typedef struct materials_job {
    const pl_material_maps* m;
    pl_element_material* out;
} materials_job;

// returns the number of elements with an impossible material
static double fill_materials(int begin, int end, void* user) {
    const materials_job* job = user;
    const pl_material_maps* m = job->m;
    int bad = 0;
    for (int e = begin; e < end; e++) {
        // most elements have the same material as the one before
        if (m->body->variation_count == 0 && e > begin && m->defs[e] == m->defs[e - 1]) {
            job->out[e] = job->out[e - 1];
            continue;
        }
        pl_material_def def = *m->defs[e];
        for (int k = 0; k < m->body->variation_count; k++) {
            double* parameter = parameter_of(&def, m->maps[k].variation->parameter);
            if (parameter)
                *parameter = varied_value(&m->maps[k], element_middle(m->mesh, m->is_cloth, e), e);
        }
        job->out[e] = element_of(&def, m->is_cloth);
        job->out[e].mu *= m->scale;
        job->out[e].lambda *= m->scale;
        job->out[e].mu2 *= m->scale;
        bad += check_value(&job->out[e], m->body->method, e, NULL) != PL_OK;
    }
    return bad;
}

pl_status pl_body_materials(const pl_material_maps* m, pl_pool* pool, pl_element_material* out,
                            pl_error* error) {
    materials_job job = {m, out};
    if (pl_parallel_sum(pool, fill_materials, m->count, ELEMENT_BLOCK, &job) == 0.0) return PL_OK;
    pl_status status = PL_OK;
    for (int e = 0; status == PL_OK && e < m->count; e++)
        status = check_value(&out[e], m->body->method, e, error);
    return status;
}
