// What is optimised less (CMakeLists.txt; its name puts it behind the engines in the library, so that of what both have
// the linker takes theirs): saving, loading and sampling, the parts of both engines that need not be fast, and the
// engines that are there for comparison. A class is made in several files; each makes the members that it has the text
// of.
#include "explore/commit_engine_sample_impl.hpp"
#include "explore/commit_engine_save_impl.hpp"
#include "explore/engine_sample_impl.hpp"
#include "explore/engine_save_impl.hpp"
#include "explore/rcmc_engine_impl.hpp"
#include "explore/rsmc_engine_impl.hpp"

namespace fencepost {

template class Engine<1>;
template class Engine<2>;
template class Engine<8>;
template class Engine<many>;
template class CommitEngine<1>;
template class CommitEngine<2>;
template class CommitEngine<8>;
template class CommitEngine<many>;
template class RcmcEngine<many>;
template class RsmcEngine<many>;
template class rsmc::Model<many>;

} // namespace fencepost
