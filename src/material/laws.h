// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All laws of solids. Adding one is a file law_NAME.h, its line below and its line in
// PL_ISOTROPIC_LAW_LIST of pliant/scene_names.h.
#ifndef PL_MATERIAL_LAWS_H
#define PL_MATERIAL_LAWS_H

#include "material/law_arap.h"
#include "material/law_corotated.h"
#include "material/law_linear.h"
#include "material/law_mooney_rivlin.h"
#include "material/law_neohookean.h"
#include "material/law_stable_neohookean.h"
#include "material/law_stvk.h"

#endif
