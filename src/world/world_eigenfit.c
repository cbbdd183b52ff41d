// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A fit depends only on the scene at its start and on the attachments that hold now, so a resumed
// run gets the same ratios. Attachments with a stiffness count as forces: the modes are those of
// the body without them.
#include "world/world_eigenfit.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/notes.h"
#include "eigenfit/eigenfit.h"
#include "eigenfit/mode_match.h"
#include "modes/davidson.h"
#include "modes/panel.h"
#include "scene/scene_path.h"
#include "step/step_system.h"
#include "world/fit_partner.h"
#include "world/world_loads.h"
#include "world/world_modes.h"

#include <math.h>
#include <string.h>

// The fine mesh gets some modes more than the coarse one, because the last modes may come in
// another order.
enum { SPARE_MODES = 4 };
// Fine meshes with fewer vertices are not cached: their modes are computed quickly.
enum { CACHED_FROM = 2000 };

// Data of one fit.
typedef struct fit {
    pl_world* w;
    int b;
    const pl_world_body* body;
    pl_scene* at_start; // the scene at the start, if materials change; otherwise NULL
    const pl_body* def; // the body at the start
    pl_world_body rest; // the body with its materials at the start
    pl_fit_partner partner;
    pl_array pins, fine_pins; // of pl_pin
    pl_body_modes coarse, fine;
    double* ratios; // one for each coarse mode
    int fitted;     // number of modes with a match
} fit;

static void free_fit(fit* f) {
    if (f->at_start) PL_FREE(f->rest.materials, pl_element_material, f->rest.element_count);
    pl_scene_destroy(f->at_start);
    PL_FREE(f->ratios, double, f->coarse.set.count);
    pl_body_modes_free(&f->coarse);
    pl_body_modes_free(&f->fine);
    pl_array_free(&f->pins);
    pl_array_free(&f->fine_pins);
    pl_fit_partner_free(&f->partner);
}

// ---------------------------------------------------------------- the body at the start

// Copies the scene and resets every number to its value at the start.
static pl_status copy_start(const pl_world* w, pl_scene** out, pl_error* error) {
    pl_status status = pl_scene_copy(w->scene, out, error);
    if (status != PL_OK) return status;
    const pl_world_number* numbers = w->numbers.data;
    for (size_t k = 0; k < w->numbers.count; k++) {
        pl_place place;
        if (pl_scene_locate(*out, numbers[k].path, &place, NULL) == PL_OK)
            *pl_place_number(&place) = numbers[k].original;
    }
    pl_scene_evaluate(*out, 0.0);
    return PL_OK;
}

static pl_status take_start(fit* f, pl_error* error) {
    f->body = &f->w->bodies[f->b];
    f->rest = *f->body;
    f->def = f->body->def;
    if (!f->body->may_change) return PL_OK;
    pl_material_maps* maps = NULL;
    f->rest.materials = PL_ALLOC(pl_element_material, f->body->element_count);
    pl_status status = copy_start(f->w, &f->at_start, error);
    if (status != PL_OK) {
        PL_FREE(f->rest.materials, pl_element_material, f->body->element_count);
        return status;
    }
    f->def = &f->at_start->bodies[f->b];
    f->rest.def = f->def;
    if (!f->rest.materials) return pl_fail_memory(error, "EigenFit");
    status = pl_material_maps_create(f->def, f->body->mesh, false, &maps, error);
    if (status == PL_OK) status = pl_body_materials(maps, f->w->pool, f->rest.materials, error);
    pl_material_maps_destroy(maps);
    return status;
}

// ---------------------------------------------------------------- what holds it

// True if attachment k holds the body at a time; springs, which have a stiffness, do not count.
static bool holds_body(const fit* f, int k, double time) {
    const pl_attachment* def = &f->w->scene->attachments[k];
    return f->w->attachments[k].body == f->b && isnan(def->stiffness) &&
           pl_attachment_is_active(def, time);
}

static bool is_coarsened(const fit* f) { return !isnan(f->def->eigenfit->coarse_edge); }
static bool is_by_hand(const fit* f) { return f->def->eigenfit->ratio_count > 0; }

static pl_status add_pins(fit* f, double time, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < f->w->attachment_count; k++) {
        if (!holds_body(f, k, time)) continue;
        status = pl_fit_add_pins(f->w, k, NULL, &f->pins, error);
        if (status == PL_OK && !is_by_hand(f))
            status = pl_fit_add_pins(f->w, k, &f->partner, &f->fine_pins, error);
    }
    return status;
}

// ---------------------------------------------------------------- ratios

static pl_status find_coarse_modes(fit* f, pl_error* error) {
    const pl_eigenfit* e = f->def->eigenfit;
    int count = is_by_hand(f) ? e->ratio_count : e->modes;
    pl_status status =
        pl_body_modes_find(&f->rest, f->body->mesh->positions, f->pins.data, (int)f->pins.count,
                           count, NULL, f->w->pool, &f->coarse, error);
    if (status != PL_OK) return status;
    if (f->coarse.set.count > PL_DAVIDSON_MAX)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "eigenfit: %d rigid modes and %d others exceed the limit of %d; set "
                       "eigenfit.modes to %d or less",
                       f->coarse.set.rigid_count, count, PL_DAVIDSON_MAX,
                       PL_DAVIDSON_MAX - f->coarse.set.rigid_count);
    return PL_OK;
}

static pl_status find_fine_modes(fit* f, pl_error* error) {
    int count = f->def->eigenfit->modes;
    const pl_world_body* fine = &f->partner.body;
    pl_error cause = {0};
    char folder[1024];
    bool is_kept = f->def->eigenfit->cache && fine->mesh->vertex_count >= CACHED_FROM &&
                   pl_mode_cache_folder(folder, sizeof folder);
    const char* cache = is_kept ? folder : NULL;
    int most = 3 * (fine->mesh->vertex_count - (int)f->fine_pins.count);
    int wanted = count + SPARE_MODES <= most ? count + SPARE_MODES : count;
    pl_log(PL_LOG_DEBUG, "body \"%s\": looking for %d modes of its fine mesh of %d vertices",
           f->def->name, wanted, fine->mesh->vertex_count);
    pl_status status =
        pl_body_modes_find(fine, fine->mesh->positions, f->fine_pins.data, (int)f->fine_pins.count,
                           wanted, cache, f->w->pool, &f->fine, &cause);
    if (status != PL_OK) pl_fail(error, status, "eigenfit, fine mesh: %.900s", cause.text);
    return status;
}

static pl_status check_modes(const fit* f, pl_error* error) {
    const pl_mode_set *coarse = &f->coarse.set, *fine = &f->fine.set;
    if (coarse->rigid_count > fine->rigid_count && f->pins.count < f->fine_pins.count)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "eigenfit: the body has %d rigid modes and the fine mesh %d, because attachments hold "
            "only %d of the body's vertices and %d of the fine mesh's; widen "
            "\"where\", so that the body is held as the fine mesh is",
            coarse->rigid_count, fine->rigid_count, (int)f->pins.count, (int)f->fine_pins.count);
    if (coarse->rigid_count != fine->rigid_count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "eigenfit: the body has %d rigid modes and the fine mesh %d; both must be "
                       "the same shape, in one piece each, held at the same places",
                       coarse->rigid_count, fine->rigid_count);
    if (fine->count < coarse->count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "eigenfit: the fine mesh has only %d modes, but %d are to be fitted; %s",
                       fine->count, coarse->count,
                       is_coarsened(f) ? "give a longer coarse_edge or fewer modes"
                                       : "give a mesh that is finer than the body");
    return PL_OK;
}

// overlaps = |(B u)' M w| / |B u|_M of all coarse modes u and fine modes w that are not rigid. B
// interpolates from the coarse mesh to the fine one. work: room for B u of all coarse modes.
static void find_overlaps(const fit* f, double* work, double* partials, double* overlaps) {
    const pl_mode_set *coarse = &f->coarse.set, *fine = &f->fine.set;
    int first = coarse->rigid_count, rows = coarse->count - first, columns = fine->count - first;
    size_t n = 3 * (size_t)coarse->vertex_count, m = 3 * (size_t)fine->vertex_count;
    const double* mass = f->fine.parts.mass;
    for (int j = 0; j < rows; j++) {
        double *u = work + (size_t)j * m, norm = 0.0;
        pl_embedding_interpolate(f->partner.map, coarse->shapes + (size_t)(first + j) * n, 3, u);
        for (size_t i = 0; i < m; i++) norm += mass[i / 3] * u[i] * u[i];
        norm = norm > 0.0 ? sqrt(norm) : 1.0;
        for (size_t i = 0; i < m; i++) u[i] *= mass[i / 3] / norm;
    }
    pl_panel_dots(f->w->pool, (int)m, rows, work, columns, fine->shapes + (size_t)first * m,
                  partials, overlaps);
    for (int i = 0; i < rows * columns; i++) overlaps[i] = fabs(overlaps[i]);
}

// Each coarse mode gets the lambda of the fine mode with its shape. Without a match the ratio is 1;
// so the number of fitted modes follows from the matches (S2 section 3.2).
static void choose_ratios(fit* f, const double* overlaps) {
    const pl_mode_set *coarse = &f->coarse.set, *fine = &f->fine.set;
    int first = coarse->rigid_count, rows = coarse->count - first, columns = fine->count - first;
    int match[PL_MATCH_MAX];
    double least = 1.0 - f->def->eigenfit->tolerance;
    pl_match_modes(rows, columns, overlaps, match);
    for (int k = 0; k < first; k++) f->ratios[k] = 1.0;
    for (int j = 0; j < rows; j++) {
        const double *row = overlaps + (size_t)j * (size_t)columns, *lambda = fine->lambda + first;
        bool agrees = pl_mode_agreement(columns, row, lambda, match[j]) > least;
        f->ratios[first + j] = agrees ? lambda[match[j]] / coarse->lambda[first + j] : 1.0;
        f->fitted += agrees;
    }
}

static pl_status find_ratios(fit* f, pl_error* error) {
    pl_status status = PL_OK;
    int coarse = f->coarse.set.count, fine = f->fine.set.count;
    size_t room = 3 * (size_t)coarse * (size_t)f->fine.set.vertex_count;
    size_t parts = pl_panel_partials(coarse, fine), squares = (size_t)coarse * (size_t)fine;
    double* work = PL_ALLOC(double, room);
    double* partials = PL_ALLOC(double, parts);
    double* overlaps = PL_ALLOC(double, squares);
    f->ratios = PL_ALLOC(double, coarse);
    if (!work || !partials || !overlaps || !f->ratios) status = pl_fail_memory(error, "EigenFit");
    if (status == PL_OK) find_overlaps(f, work, partials, overlaps);
    if (status == PL_OK) choose_ratios(f, overlaps);
    PL_FREE(work, double, room);
    PL_FREE(partials, double, parts);
    PL_FREE(overlaps, double, squares);
    return status;
}

static pl_status take_ratios(fit* f, pl_error* error) {
    const pl_mode_set* coarse = &f->coarse.set;
    f->ratios = PL_ALLOC(double, coarse->count);
    if (!f->ratios) return pl_fail_memory(error, "EigenFit");
    for (int k = 0; k < coarse->count; k++)
        f->ratios[k] =
            k < coarse->rigid_count ? 1.0 : f->def->eigenfit->ratios[k - coarse->rigid_count];
    return PL_OK;
}

static pl_status fit_modes(fit* f, double time, pl_error* error) {
    pl_status status = PL_OK;
    if (!is_by_hand(f))
        status = pl_fit_partner_create(&f->rest, f->def, f->w->pool, &f->partner, error);
    if (status == PL_OK) status = add_pins(f, time, error);
    if (status == PL_OK) status = find_coarse_modes(f, error);
    if (status == PL_OK && is_by_hand(f)) return take_ratios(f, error);
    if (status == PL_OK) status = find_fine_modes(f, error);
    if (status == PL_OK) status = check_modes(f, error);
    return status == PL_OK && !f->def->eigenfit->dac ? find_ratios(f, error) : status;
}

// Ratio of the first modes, whatever their shapes (Chen 2017).
static double dac_scale(const fit* f) {
    int first = f->coarse.set.rigid_count;
    return f->fine.set.lambda[first] / f->coarse.set.lambda[first];
}

static void note_unread(const fit* f, pl_notes* notes) {
    const pl_eigenfit *e = f->def->eigenfit, preset = pl_default_eigenfit();
    const char* format = "bodies[%d].eigenfit.%s has no effect with eigenfit.%s";
    if (is_by_hand(f) && e->modes != preset.modes)
        pl_note(notes, PL_NOTE_INFO, format, f->b, "modes", "ratios, which are one for each mode");
    if (e->dac && e->fallback) pl_note(notes, PL_NOTE_INFO, format, f->b, "fallback", "dac");
    if (e->dac && e->tolerance != preset.tolerance)
        pl_note(notes, PL_NOTE_INFO, format, f->b, "tolerance", "dac");
}

static void note_ratios(const fit* f, pl_notes* notes) {
    if (is_by_hand(f)) return;
    if (f->def->eigenfit->dac) {
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": its stiffness is multiplied by %.3f, the ratio of the first "
                "eigenvalue of a fine mesh of %d vertices to its own",
                f->def->name, dac_scale(f), f->fine.set.vertex_count);
        return;
    }
    const pl_mode_set* coarse = &f->coarse.set;
    int count = coarse->count - coarse->rigid_count;
    double low = INFINITY, high = 0.0;
    for (int k = coarse->rigid_count; k < coarse->count; k++) {
        low = fmin(low, f->ratios[k]);
        high = fmax(high, f->ratios[k]);
    }
    pl_note(notes, PL_NOTE_INFO,
            "body \"%s\": %d of %d modes fitted to a mesh of %d vertices, eigenvalues times %.3f "
            "to %.3f",
            f->def->name, f->fitted, count, f->fine.set.vertex_count, low, high);
    if (2 * f->fitted < count)
        pl_note(notes, PL_NOTE_MENDED,
                "body \"%s\": most of its modes match no mode of the fine mesh and are not fitted; "
                "a %s helps",
                f->def->name,
                is_coarsened(f) ? "shorter eigenfit.coarse_edge" : "finer mesh of the body");
    if (high > 1.0 && f->def->eigenfit->fine)
        pl_note(notes, PL_NOTE_MENDED,
                "body \"%s\": eigenfit makes some modes stiffer; a finer mesh should make them "
                "softer: is eigenfit.fine the same shape?",
                f->def->name);
}

// ---------------------------------------------------------------- the term

static bool is_linear(const pl_world_body* body) {
    for (int e = 0; e < body->element_count; e++)
        if (body->materials[e].law != PL_LAW_LINEAR) return false;
    return !body->may_change;
}

static pl_status give_term(const fit* f, pl_error* error) {
    const pl_body_modes* m = &f->coarse;
    pl_eigenfit_input input = {.vertex_count = m->set.vertex_count,
                               .neighbour_offsets = m->parts.neighbour_offsets,
                               .neighbours = m->parts.neighbours,
                               .rest = f->body->mesh->positions,
                               .fixed = m->holds.fixed,
                               .holds = m->holds.holds.data,
                               .hold_count = (int)m->holds.holds.count,
                               .mode_count = m->set.count,
                               .rigid_count = m->set.rigid_count,
                               .lambda = m->set.lambda,
                               .shapes = m->set.shapes,
                               .ratios = f->ratios,
                               .is_linear = is_linear(f->body),
                               .materials_change = f->body->may_change,
                               .falls_back = f->def->eigenfit->fallback,
                               .tolerance = f->def->eigenfit->tolerance};
    pl_world_system* system = &f->w->systems[f->body->system];
    if (system->eigenfit) return pl_eigenfit_term_refit(system->eigenfit, &input, error);
    pl_status status = pl_eigenfit_term_create(&input, f->w->pool, &system->eigenfit, error);
    if (status != PL_OK) return status;
    return pl_step_add_term(system->data, pl_eigenfit_term_of(system->eigenfit), error);
}

// DAC: scales all stiffness of the body.
static pl_status scale_body(const fit* f, pl_error* error) {
    pl_material_maps_scale(f->body->maps, dac_scale(f));
    return pl_world_push_system(f->w, f->body->system, error);
}

static pl_status run_fit(pl_world* w, int b, double time, pl_notes* notes, pl_error* error) {
    fit f = {.w = w,
             .b = b,
             .pins = pl_array_of(sizeof(pl_pin)),
             .fine_pins = pl_array_of(sizeof(pl_pin))};
    pl_error cause = {0};
    pl_status status = take_start(&f, &cause);
    if (status == PL_OK) status = fit_modes(&f, time, &cause);
    if (status == PL_OK)
        status = f.def->eigenfit->dac ? scale_body(&f, &cause) : give_term(&f, &cause);
    if (status == PL_OK) note_unread(&f, notes);
    if (status == PL_OK) note_ratios(&f, notes);
    if (status == PL_OK && !is_by_hand(&f))
        status = pl_fit_partner_show(&f.partner, &w->bodies[b], &cause);
    if (status != PL_OK)
        pl_fail(error, status, "body \"%s\": %.900s", w->bodies[b].def->name, cause.text);
    pl_world_system* system = &w->systems[w->bodies[b].system];
    for (int k = 0; status == PL_OK && k < w->attachment_count; k++)
        system->fit_holds[k] = holds_body(&f, k, time);
    free_fit(&f);
    return status;
}

pl_status pl_world_eigenfit_setup(pl_world* w, int s, pl_notes* notes, pl_error* error) {
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s || !w->bodies[b].def->eigenfit) continue;
        w->systems[s].is_fitted = true;
        w->systems[s].fit_holds = PL_ALLOC(bool, w->attachment_count);
        if (w->attachment_count && !w->systems[s].fit_holds)
            return pl_fail_memory(error, "EigenFit");
        return run_fit(w, b, w->time, notes, error); // such a body is the only one of its system
    }
    return PL_OK;
}

pl_status pl_world_eigenfit_follow(pl_world* w, int s, double end, pl_error* error) {
    const pl_world_system* system = &w->systems[s];
    if (!system->is_fitted) return PL_OK;
    fit f = {.w = w};
    while (w->bodies[f.b].system != s) f.b++;
    for (int k = 0; k < w->attachment_count; k++)
        if (system->fit_holds[k] != holds_body(&f, k, end))
            return run_fit(w, f.b, end, NULL, error);
    return PL_OK;
}
