#include "explore/commit_engine_all.hpp"

template class fencepost::CommitEngine<1>;
template class fencepost::CommitEngine<2>;
