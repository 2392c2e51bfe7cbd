#include "explore/commit_engine_impl.hpp"

template class fencepost::CommitEngine<1>;
