#include "explore/rsmc_engine_impl.hpp"

namespace fencepost {
template class rsmc::Model<rsmc::wide>;
template class RsmcEngine<rsmc::wide>;
} // namespace fencepost
