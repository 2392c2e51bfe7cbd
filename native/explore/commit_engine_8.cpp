#include "explore/commit_engine_impl.hpp"
#include "explore/commit_engine_revisit_impl.hpp"
#include "explore/commit_engine_save_impl.hpp"

template class fencepost::CommitEngine<8>;
