#include "explore/rsmc_engine_impl.hpp"

namespace fencepost {
template class rsmc::Model<rsmc::narrow>;
template class RsmcEngine<rsmc::narrow>;
} // namespace fencepost
