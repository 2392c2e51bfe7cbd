// Every part of CommitEngine but what is seldom needed (seldom.cpp).
#pragma once

#include "explore/commit_engine_add_impl.hpp"
#include "explore/commit_engine_choices_impl.hpp"
#include "explore/commit_engine_end_impl.hpp"
#include "explore/commit_engine_ghosts_impl.hpp"
#include "explore/commit_engine_impl.hpp"
#include "explore/commit_engine_revisit_impl.hpp"
