// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The columns of metrics.csv for the forces that hold bodies: attachment.NAME.fx fy fz tx ty tz for
// each attachment [N], [N m], then collider.NAME.fx fy fz for each collider.
#ifndef PL_RECORD_RUN_REACTIONS_H
#define PL_RECORD_RUN_REACTIONS_H

#include "scene/scene_text.h"

#include <pliant/world.h>

// Each begins with a comma.
void pl_run_reaction_columns(const pl_world* world, const pl_scene* scene, pl_text* row);
// nan where the method does not report forces
void pl_run_reaction_values(const pl_world* world, pl_text* row);

#endif
