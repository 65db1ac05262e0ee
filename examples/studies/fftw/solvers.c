/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planner's choice: one codelet for each size of the thesis, so that a plan is that codelet and nothing else, as the
 * thesis' plans were (Melhus 2013, sections 5.1.1 and 5.1.4). */
#include "api/api.h"
#include "dft/dft.h"

extern void X(codelet_n1fv_8_avx)(planner *);
extern void X(codelet_n1fv_15_avx)(planner *);
extern void X(codelet_n1fv_16_avx)(planner *);
extern void X(codelet_n1fv_20_avx)(planner *);
extern void X(codelet_n1fv_32_avx)(planner *);
void X(configure_planner)(planner *);

void X(configure_planner)(planner *chosen) {
	static const solvtab codelets = {SOLVTAB(X(codelet_n1fv_8_avx)),  SOLVTAB(X(codelet_n1fv_15_avx)),
	                                 SOLVTAB(X(codelet_n1fv_16_avx)), SOLVTAB(X(codelet_n1fv_20_avx)),
	                                 SOLVTAB(X(codelet_n1fv_32_avx)), SOLVTAB_END};
	X(solvtab_exec)(codelets, chosen);
}
