// One function per topic; module.cpp calls them all. Binding files hold no logic.
#pragma once

#include <nanobind/nanobind.h>

void bind_program(nanobind::module_& m);
void bind_results(nanobind::module_& m);
void bind_explore(nanobind::module_& m);
void bind_states(nanobind::module_& m);
void bind_candidates(nanobind::module_& m);
