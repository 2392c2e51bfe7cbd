#include "explore/rsmc_engine_impl.hpp"

namespace fencepost {
template class rsmc::Model<rsmc::narrow>;
template class RsmcEngine<rsmc::narrow>;
#ifndef FENCEPOST_NARROW
template class rsmc::Model<rsmc::middle>;
template class RsmcEngine<rsmc::middle>;
template class rsmc::Model<rsmc::wide>;
template class RsmcEngine<rsmc::wide>;
#endif
} // namespace fencepost
