// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fine partner of a body with EigenFit: its mesh and materials at rest, and its pins.
#ifndef PL_WORLD_FIT_PARTNER_H
#define PL_WORLD_FIT_PARTNER_H

#include "world/world_build.h"

#include <pliant/embed.h>

enum { PL_FIT_MAX_VALUES = 32 };

typedef struct pl_fit_partner {
    pl_body def;
    pl_shape_value values[PL_FIT_MAX_VALUES]; // of def.generate
    pl_world_body body;
    pl_embedding*
        map; // interpolates from the tets of the coarse mesh to the vertices of the fine one
} pl_fit_partner;

// A copy of `def` whose generated shape has this edge length.
// PL_ERROR_ARGUMENT: the shape is divided by another parameter than "edge".
pl_status pl_fit_define(const pl_body* def, double edge, pl_shape_value* values, pl_body* out,
                        pl_error* error);

// The partner of `body`, whose definition at rest is `rest`. PL_ERROR_ARGUMENT: pliant cannot make
// the fine mesh; the error says which key to give.
pl_status pl_fit_partner_create(const pl_world_body* body, const pl_body* rest, pl_pool* pool,
                                pl_fit_partner* out, pl_error* error);
// Draws the surface of the fine mesh for `body`, unless the body already has a surface to draw or
// render.keep_surface is false. Afterwards the partner can only be freed.
pl_status pl_fit_partner_show(pl_fit_partner* partner, pl_world_body* body, pl_error* error);
void pl_fit_partner_free(pl_fit_partner* partner);

// Adds the hard pins of attachment k of the world to `pins` (of pl_pin), in the numbering of its
// body or, if `partner` is not NULL, of the fine mesh. Some selections cannot be repeated on the
// fine mesh: vertex numbers, nearest vertices, a region that it does not have, a place where it has
// no vertex. These hold the fine vertices at places where the coarse mesh cannot move.
pl_status pl_fit_add_pins(const pl_world* world, int k, const pl_fit_partner* partner,
                          pl_array* pins, pl_error* error);

#endif
