#include "explore/commit_engine.hpp"
#include "explore/engine.hpp"
#include "explore/rsmc_engine.hpp"

namespace fencepost {

extern template class Engine<1>;
extern template class Engine<2>;
extern template class Engine<4>;
extern template class Engine<8>;
extern template class Engine<16>;
extern template class Engine<32>;
extern template class Engine<64>;
extern template class Engine<128>;
extern template class RsmcEngine<rsmc::narrow>;
extern template class RsmcEngine<rsmc::middle>;
extern template class RsmcEngine<rsmc::wide>;
extern template class CommitEngine<1>;
extern template class CommitEngine<2>;
extern template class CommitEngine<4>;
extern template class CommitEngine<8>;

namespace {

template <unsigned W>
std::unique_ptr<AnyEngine> make(LocalStates& states, const ExploreOptions& options, Results& results) {
  if constexpr (W <= widest_by_plan)
    if (options.by_plan()) return std::make_unique<CommitEngine<W>>(states, options, results, options.plan);
  return std::make_unique<Engine<W>>(states, options, results);
}

std::unique_ptr<AnyEngine> make_rsmc(unsigned words, LocalStates& states, const ExploreOptions& options,
                                     Results& results) {
  if (words <= rsmc::narrow) return std::make_unique<RsmcEngine<rsmc::narrow>>(states, options, results);
  if (words <= rsmc::middle) return std::make_unique<RsmcEngine<rsmc::middle>>(states, options, results);
  return std::make_unique<RsmcEngine<rsmc::wide>>(states, options, results);
}

} // namespace

std::unique_ptr<AnyEngine> make_engine(unsigned words, LocalStates& states, const ExploreOptions& options,
                                       Results& results) {
  if (options.by_rsmc()) return make_rsmc(words, states, options, results);
  if (words > (options.by_plan() ? widest_by_plan : widest)) return nullptr;
  switch (words) {
  case 1:
    return make<1>(states, options, results);
  case 2:
    return make<2>(states, options, results);
  case 4:
    return make<4>(states, options, results);
  case 8:
    return make<8>(states, options, results);
  case 16:
    return make<16>(states, options, results);
  case 32:
    return make<32>(states, options, results);
  case 64:
    return make<64>(states, options, results);
  case 128:
    return make<128>(states, options, results);
  default:
    return nullptr;
  }
}

} // namespace fencepost
