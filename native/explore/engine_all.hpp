// Every part of Engine but what is seldom needed (seldom.cpp). Reading the headers takes a second, so a file
// that includes this instantiates several widths.
#pragma once

#include "explore/engine_attempts_impl.hpp"
#include "explore/engine_barriers_impl.hpp"
#include "explore/engine_blocks_impl.hpp"
#include "explore/engine_forward_impl.hpp"
#include "explore/engine_impl.hpp"
#include "explore/engine_late_impl.hpp"
#include "explore/engine_looks_impl.hpp"
#include "explore/engine_report_impl.hpp"
#include "explore/engine_sections_impl.hpp"
#include "explore/engine_symmetry_impl.hpp"
#include "explore/engine_waiting_impl.hpp"
#include "explore/engine_weak_impl.hpp"
