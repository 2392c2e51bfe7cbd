#include "explore/commit_engine_add_impl.hpp"
#include "explore/commit_engine_choices_impl.hpp"
#include "explore/commit_engine_end_impl.hpp"
#include "explore/commit_engine_ghosts_impl.hpp"
#include "explore/commit_engine_impl.hpp"
#include "explore/commit_engine_revisit_impl.hpp"
#include "explore/commit_engine_sample_impl.hpp"
#include "explore/commit_engine_save_impl.hpp"

template class fencepost::CommitEngine<1>;
#ifndef FENCEPOST_NARROW
template class fencepost::CommitEngine<2>;
template class fencepost::CommitEngine<8>;
template class fencepost::CommitEngine<32>;
template class fencepost::CommitEngine<fencepost::widest_by_plan>;
#endif
