#include "explore/rsmc_engine_impl.hpp"

template class fencepost::rsmc::Model<fencepost::many>;
template class fencepost::RsmcEngine<fencepost::many>;
