#include "explore/commit_engine.hpp"
#include "explore/engine.hpp"
#include "explore/rcmc_engine.hpp"
#include "explore/rsmc_engine.hpp"

namespace fencepost {

extern template class Engine<1>;
extern template class Engine<2>;
extern template class Engine<8>;
extern template class Engine<many>;
extern template class RsmcEngine<many>;
extern template class RcmcEngine<many>;
extern template class CommitEngine<1>;
extern template class CommitEngine<2>;
extern template class CommitEngine<8>;
extern template class CommitEngine<many>;

namespace {

template <unsigned W>
std::unique_ptr<AnyEngine> make(LocalStates& states, const ExploreOptions& options, Results& results) {
  if (options.by_plan()) return std::make_unique<CommitEngine<W>>(states, options, results, options.plan);
  return std::make_unique<Engine<W>>(states, options, results);
}

} // namespace

std::unique_ptr<AnyEngine> make_engine(Width width, LocalStates& states, const ExploreOptions& options,
                                       Results& results) {
  if (options.by_rsmc()) return std::make_unique<RsmcEngine<many>>(states, options, results);
  if (options.rcmc) return std::make_unique<RcmcEngine<many>>(states, options, results);
  switch (width) {
  case Width::One:
    return make<1>(states, options, results);
  case Width::Two:
    return make<2>(states, options, results);
  case Width::Eight:
    return make<8>(states, options, results);
  case Width::Many:
    break;
  }
  return make<many>(states, options, results);
}

std::unique_ptr<AnyEngine> load_engine(Width& width, const std::vector<std::int64_t>& saved, LocalStates& states,
                                       const ExploreOptions& options, Results& results) {
  FP_ASSERT(!saved.empty(), "what has not begun should be begun, not loaded");
  for (;; width = wider(width)) {
    auto engine = make_engine(width, states, options, results);
    if (engine->load(saved)) return engine;
    if (width == Width::Many) throw DecodeError("a saved exploration should have no more events than are kept");
  }
}

} // namespace fencepost
