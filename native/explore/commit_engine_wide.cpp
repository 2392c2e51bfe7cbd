#include "explore/commit_engine_all.hpp"

template class fencepost::CommitEngine<8>;
template class fencepost::CommitEngine<fencepost::many>;
