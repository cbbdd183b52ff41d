// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data shared by the files of the coupling.
#ifndef PL_WORLD_COUPLING_DATA_H
#define PL_WORLD_COUPLING_DATA_H

#include "contact/push_list.h"
#include "world/world_build.h"

typedef struct pl_coupled_system {
    bool is_coupled;
    bool was_pushed;        // in the last round
    bool was_pushed_before; // in the last step
    bool is_repeated;       // the next step starts where the last one did
    void* saved;            // state of method and guard at the start of the step
    size_t room;
    pl_frame_info told; // report of its step; iterations and seconds add up over all rounds
} pl_coupled_system;

struct pl_world_coupling {
    pl_surface_set* surfaces;
    int* body_of_surface;
    int* system_of_surface;
    bool* never; // per pair of surfaces, indexed like `parted`: this coupling ignores it
    int system_count;
    int* firsts; // system_count + 1: the first vertex of each system here
    pl_coupled_system* systems;
    pl_push_response* responses;
    double *start, *end,
        *before; // positions in the step; `before`: end of the last round; 3 per vertex
    double *push, *push_before; // [kg m]
    double* force;              // [N]
    double *mass, *inverse_mass;
    double* limits; // per vertex; 1 between uses
    bool* held;
    pl_push_list list;
    pl_array kept, kept_before; // of pl_kept_push: the last step's; the last frame's
    pl_array pairs;             // of pl_contact_pair, from the last search
    pl_array parts;             // of double: the fraction of the path that each pair allows
};

// Copies the present positions of all vertices, 3 each.
void pl_world_coupling_gather(const pl_world* world, double* out);

#endif
