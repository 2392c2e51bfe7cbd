#include "explore/rsmc_engine_impl.hpp"

namespace fencepost {
template class rsmc::Model<rsmc::middle>;
template class RsmcEngine<rsmc::middle>;
} // namespace fencepost
