// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/show_values.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    pl_show_kind kind;
    const char* title;
    pl_colormap map;
    double neutral, least_reach;
    bool from_zero, needs_recording;
} quantities[] = {
    {"displacement", PL_SHOW_DISPLACEMENT, "displacement [m]", PL_COLORMAP_SEQUENTIAL, 0, 0, true,
     true},
    {"stretch", PL_SHOW_STRETCH, "stretch", PL_COLORMAP_DIVERGING, 1.0, 0.01, false, true},
    {"error", PL_SHOW_ERROR, "error [m]", PL_COLORMAP_SEQUENTIAL, 0, 0, true, true},
    {"region", PL_SHOW_REGION, "region", PL_COLORMAP_CATEGORIES, 0, 0, false, false},
};
enum { QUANTITY_COUNT = sizeof quantities / sizeof quantities[0] };

// fields of a run: their title in the legend, and the neutral value where there is one
static const struct {
    const char* name;
    const char* title;
    double neutral;     // or NAN
    double least_reach; // colours span at least this much on both sides of it
} known_fields[] = {
    {"velocity", "speed [m/s]", NAN, 0.0},
    {"volume", "volume ratio", 1.0, 0.01},
    {"pressure", "pressure [Pa]", 0.0, 0.0},
    {"stress", "von Mises stress [Pa]", NAN, 0.0},
    {"element_stress", "von Mises stress [Pa]", NAN, 0.0},
    {"energy", "energy density [J/m^3]", NAN, 0.0},
    {"contact", "contact force [N]", NAN, 0.0},
};

static bool has_field(const pl_recording* recording, const pl_mesh* mesh, const char* name) {
    const pl_record_head* head = recording ? pl_recording_head(recording) : NULL;
    for (int i = 0; head && i < head->body_count; i++)
        for (int k = 0; k < head->bodies[i].field_count; k++)
            if (strcmp(head->bodies[i].fields[k].name, name) == 0) return true;
    for (int i = 0; mesh && i < mesh->field_count; i++)
        if (strcmp(mesh->fields[i].name, name) == 0) return true;
    return false;
}

static void add_name(const char* name, char* text, size_t size) {
    if (strstr(text, name)) return;
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

// lists the available names, for messages
static void list_names(const pl_recording* recording, const pl_mesh* mesh, char* text,
                       size_t size) {
    text[0] = '\0';
    for (int i = 0; i < QUANTITY_COUNT; i++)
        if (recording || !quantities[i].needs_recording) add_name(quantities[i].name, text, size);
    const pl_record_head* head = recording ? pl_recording_head(recording) : NULL;
    for (int i = 0; head && i < head->body_count; i++)
        for (int k = 0; k < head->bodies[i].field_count; k++)
            add_name(head->bodies[i].fields[k].name, text, size);
    for (int i = 0; mesh && i < mesh->field_count; i++) add_name(mesh->fields[i].name, text, size);
}

// the other recording must have the same bodies
static pl_status check_against(const char* path, const pl_recording* recording,
                               const pl_recording* against, pl_error* error) {
    if (!against)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%s: colours by error need another run to compare with (--against)", path);
    const pl_record_head *a = pl_recording_head(recording), *b = pl_recording_head(against);
    bool same = a->body_count == b->body_count;
    for (int i = 0; same && i < a->body_count; i++)
        same = a->bodies[i].vertex_count == b->bodies[i].vertex_count;
    return same ? PL_OK
                : pl_fail(error, PL_ERROR_ARGUMENT,
                          "%s: the run to compare with has other bodies or vertices", path);
}

pl_status pl_show_choose(const char* name, const char* path, const pl_recording* recording,
                         const pl_recording* against, const pl_mesh* mesh, pl_show_quantity* out,
                         pl_error* error) {
    *out = (pl_show_quantity){0};
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        if (strcmp(name, quantities[i].name) != 0) continue;
        if (quantities[i].needs_recording && !recording)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "%s: colours by %s need a recording, not a mesh", path, name);
        out->kind = quantities[i].kind;
        out->map = quantities[i].map;
        out->neutral = quantities[i].neutral;
        out->from_zero = quantities[i].from_zero;
        out->least_reach = quantities[i].least_reach;
        snprintf(out->title, sizeof out->title, "%s", quantities[i].title);
        return out->kind == PL_SHOW_ERROR ? check_against(path, recording, against, error) : PL_OK;
    }
    if (!has_field(recording, mesh, name) || strlen(name) >= sizeof out->field) {
        char names[512];
        list_names(recording, mesh, names, sizeof names);
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: there is no \"%s\" to colour by; there is %s",
                       path, name, names);
    }
    out->kind = PL_SHOW_FIELD;
    snprintf(out->field, sizeof out->field, "%s", name);
    snprintf(out->title, sizeof out->title, "%s", name);
    for (size_t i = 0; i < sizeof known_fields / sizeof known_fields[0]; i++) {
        if (strcmp(name, known_fields[i].name) != 0) continue;
        snprintf(out->title, sizeof out->title, "%s", known_fields[i].title);
        if (isnan(known_fields[i].neutral)) continue;
        out->map = PL_COLORMAP_DIVERGING;
        out->neutral = known_fields[i].neutral;
        out->least_reach = known_fields[i].least_reach;
    }
    return PL_OK;
}

static float distance(const float* a, const float* b) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

// The largest singular value of the map from the rest triangle to the present one. With edge
// matrices R and E in the triangles' planes and G = inv(R'R) E'E, its square is the larger root of
// s^2 - tr(G) s + det(G) = 0.
float pl_triangle_stretch(const float* rest, const float* positions, const int* v) {
    const float *r0 = rest + 3 * (size_t)v[0], *r1 = rest + 3 * (size_t)v[1],
                *r2 = rest + 3 * (size_t)v[2];
    const float *p0 = positions + 3 * (size_t)v[0], *p1 = positions + 3 * (size_t)v[1],
                *p2 = positions + 3 * (size_t)v[2];
    double r[3] = {0}, e[3] = {0}; // aa, ab, bb of both
    for (int k = 0; k < 3; k++) {
        double ra = (double)r1[k] - r0[k], rb = (double)r2[k] - r0[k];
        double ea = (double)p1[k] - p0[k], eb = (double)p2[k] - p0[k];
        r[0] += ra * ra, r[1] += ra * rb, r[2] += rb * rb;
        e[0] += ea * ea, e[1] += ea * eb, e[2] += eb * eb;
    }
    double det = r[0] * r[2] - r[1] * r[1];
    if (!(det > 0.0)) return NAN;
    double trace = (r[2] * e[0] - 2.0 * r[1] * e[1] + r[0] * e[2]) / det;
    double product = (e[0] * e[2] - e[1] * e[1]) / det;
    double root = sqrt(fmax(0.25 * trace * trace - product, 0.0));
    return (float)sqrt(0.5 * trace + root);
}

static void fill_stretch(const pl_record_body* b, const float* positions, float* values) {
    for (int t = 0; t < b->triangle_count; t++)
        values[t] = pl_triangle_stretch(b->rest, positions, b->triangles + 3 * (size_t)t);
}

static float length(const float* v, int components) {
    if (components == 1) return v[0];
    double sum = 0.0;
    for (int k = 0; k < components; k++) sum += (double)v[k] * (double)v[k];
    return (float)sqrt(sum);
}

static void fill_empty(float* values, int count) {
    for (int i = 0; i < count; i++) values[i] = NAN;
}

static bool has_vertex(const int* tet, int vertex) {
    return tet[0] == vertex || tet[1] == vertex || tet[2] == vertex || tet[3] == vertex;
}

// lists the tets around each vertex, then looks for each triangle around its first corner
bool pl_show_tets_behind(const pl_record_body* b, int* tets) {
    size_t corners = 4 * (size_t)b->tet_count;
    int* begins = PL_ALLOC(int, (size_t)b->vertex_count + 2);
    int* around = PL_ALLOC(int, corners);
    bool ready = begins && (around || corners == 0);
    for (size_t k = 0; ready && k < corners; k++) begins[b->tets[k] + 2]++;
    for (int v = 0; ready && v < b->vertex_count; v++) begins[v + 2] += begins[v + 1];
    for (size_t k = 0; ready && k < corners; k++) around[begins[b->tets[k] + 1]++] = (int)(k / 4);
    for (int t = 0; ready && t < b->triangle_count; t++) {
        const int* v = b->triangles + 3 * (size_t)t;
        tets[t] = -1;
        for (int k = begins[v[0]]; k < begins[v[0] + 1] && tets[t] < 0; k++) {
            const int* tet = b->tets + 4 * (size_t)around[k];
            if (has_vertex(tet, v[1]) && has_vertex(tet, v[2])) tets[t] = around[k];
        }
    }
    PL_FREE(begins, int, (size_t)b->vertex_count + 2);
    PL_FREE(around, int, corners);
    return ready;
}

// a field of a recording; one on tets is seen on the triangles before them
static bool fill_record_field(const pl_recording* recording, int body, const char* name,
                              const int* tets_behind, float* values) {
    const pl_record_body* b = &pl_recording_head(recording)->bodies[body];
    for (int k = 0; k < b->field_count; k++) {
        const pl_record_field* f = &b->fields[k];
        if (strcmp(f->name, name) != 0) continue;
        const float* field = pl_recording_field(recording, body, k);
        bool on_tets = f->kind == PL_ELEMENT_TET;
        int count = f->kind == PL_ELEMENT_VERTEX ? b->vertex_count : b->triangle_count;
        for (int i = 0; i < count; i++) {
            int at = on_tets ? tets_behind[i] : i;
            values[i] =
                at < 0 ? NAN : length(field + (size_t)at * (size_t)f->components, f->components);
        }
        return f->kind != PL_ELEMENT_VERTEX;
    }
    fill_empty(values, b->vertex_count);
    return false;
}

static bool fill_mesh_field(const pl_mesh* mesh, const char* name, float* values) {
    const pl_field* f = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, name);
    if (!f) f = pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, name);
    int count = f ? pl_mesh_element_count(mesh, f->kind) : mesh->vertex_count;
    fill_empty(values, count);
    for (int i = 0; f && i < count; i++) {
        double sum = 0.0;
        const double* v = f->values + (size_t)i * (size_t)f->components;
        for (int k = 0; k < f->components; k++) sum += v[k] * v[k];
        values[i] = (float)(f->components == 1 ? v[0] : sqrt(sum));
    }
    return f && f->kind == PL_ELEMENT_TRIANGLE;
}

// the first region of the same name, since a surface may have one of triangles and one of tets
static int first_of_name(const pl_mesh* mesh, int region) {
    for (int i = 0; i < region; i++)
        if (mesh->regions[i].kind == PL_ELEMENT_TRIANGLE &&
            strcmp(mesh->regions[i].name, mesh->regions[region].name) == 0)
            return i;
    return region;
}

// of the regions that contain a triangle, the smallest is the most specific
static void fill_mesh_regions(const pl_mesh* mesh, float* values) {
    fill_empty(values, mesh->triangle_count);
    for (int i = 0; i < mesh->region_count; i++) {
        const pl_region* r = &mesh->regions[i];
        if (r->kind != PL_ELEMENT_TRIANGLE) continue;
        int number = first_of_name(mesh, i), size = mesh->regions[number].count;
        for (int k = 0; k < r->count; k++) {
            float* value = &values[r->items[k]];
            if (isnan(*value) || size < mesh->regions[(int)*value].count) *value = (float)number;
        }
    }
}

static void fill_record_regions(const pl_record_body* b, float* values) {
    for (int i = 0; i < b->triangle_count; i++)
        values[i] = b->triangle_regions && b->triangle_regions[i] >= 0
                        ? (float)b->triangle_regions[i]
                        : NAN;
}

bool pl_show_values(const pl_show_quantity* q, int body, const pl_recording* recording,
                    const pl_recording* against, const pl_mesh* mesh, const int* tets_behind,
                    float* values) {
    const pl_record_body* b = recording ? &pl_recording_head(recording)->bodies[body] : NULL;
    const float* positions = recording ? pl_recording_positions(recording, body) : NULL;
    const float* other = q->kind == PL_SHOW_ERROR ? pl_recording_positions(against, body)
                         : b                      ? b->rest
                                                  : NULL;
    switch (q->kind) {
    case PL_SHOW_NONE:
    case PL_SHOW_NODES: return false;
    case PL_SHOW_DISPLACEMENT:
    case PL_SHOW_ERROR:
        for (int i = 0; i < b->vertex_count; i++)
            values[i] = distance(positions + 3 * (size_t)i, other + 3 * (size_t)i);
        return false;
    case PL_SHOW_STRETCH: fill_stretch(b, positions, values); return true;
    case PL_SHOW_REGION:
        if (b) fill_record_regions(b, values);
        else fill_mesh_regions(mesh, values);
        return true;
    case PL_SHOW_FIELD:
        return b ? fill_record_field(recording, body, q->field, tets_behind, values)
                 : fill_mesh_field(mesh, q->field, values);
    }
    return false;
}
