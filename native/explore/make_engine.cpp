#include "explore/commit_engine.hpp"
#include "explore/engine.hpp"
#include "explore/rcmc_engine.hpp"
#include "explore/rsmc_engine.hpp"

namespace fencepost {

extern template class Engine<1>;
extern template class Engine<2>;
extern template class Engine<4>;
extern template class Engine<8>;
extern template class Engine<32>;
extern template class Engine<128>;
extern template class RsmcEngine<rsmc::narrow>;
extern template class RsmcEngine<rsmc::middle>;
extern template class RsmcEngine<rsmc::wide>;
extern template class RcmcEngine<rcmc::narrow>;
extern template class RcmcEngine<rcmc::wide>;
extern template class CommitEngine<1>;
extern template class CommitEngine<2>;
extern template class CommitEngine<8>;
extern template class CommitEngine<32>;
extern template class CommitEngine<widest_by_plan>;

namespace {

template <class E>
std::unique_ptr<AnyEngine> make(LocalStates& states, const ExploreOptions& options, Results& results) {
  return std::make_unique<E>(states, options, results);
}

std::unique_ptr<AnyEngine> make_rsmc(unsigned words, LocalStates& states, const ExploreOptions& options,
                                     Results& results) {
  if (words <= rsmc::narrow) return make<RsmcEngine<rsmc::narrow>>(states, options, results);
#ifdef FENCEPOST_NARROW
  return nullptr;
#else
  if (words <= rsmc::middle) return make<RsmcEngine<rsmc::middle>>(states, options, results);
  return make<RsmcEngine<rsmc::wide>>(states, options, results);
#endif
}

std::unique_ptr<AnyEngine> make_rcmc(unsigned words, LocalStates& states, const ExploreOptions& options,
                                     Results& results) {
  if (words <= rcmc::narrow) return make<RcmcEngine<rcmc::narrow>>(states, options, results);
#ifdef FENCEPOST_NARROW
  return nullptr;
#else
  return words <= rcmc::wide ? make<RcmcEngine<rcmc::wide>>(states, options, results) : nullptr;
#endif
}

template <unsigned W>
std::unique_ptr<AnyEngine> make_commit(LocalStates& states, const ExploreOptions& options, Results& results) {
  return std::make_unique<CommitEngine<W>>(states, options, results, options.plan);
}

} // namespace

#ifdef FENCEPOST_NARROW // for small programs only: a fraction of the build
std::unique_ptr<AnyEngine> make_engine(unsigned words, LocalStates& states, const ExploreOptions& options,
                                       Results& results) {
  if (options.by_rsmc()) return make_rsmc(words, states, options, results);
  if (options.rcmc) return make_rcmc(words, states, options, results);
  if (words > 1) return nullptr;
  if (options.by_plan()) return make_commit<1>(states, options, results);
  return make<Engine<1>>(states, options, results);
}
#else
// Of each width that was asked for, the next that exists: every width that exists costs four seconds of the build.
std::unique_ptr<AnyEngine> make_engine(unsigned words, LocalStates& states, const ExploreOptions& options,
                                       Results& results) {
  if (options.by_rsmc()) return make_rsmc(words, states, options, results);
  if (options.rcmc) return make_rcmc(words, states, options, results);
  if (words > (options.by_plan() ? widest_by_plan : widest)) return nullptr;
  if (options.by_plan()) {
    if (words <= 1) return make_commit<1>(states, options, results);
    if (words <= 2) return make_commit<2>(states, options, results);
    if (words <= 8) return make_commit<8>(states, options, results);
    if (words <= 32) return make_commit<32>(states, options, results);
    return make_commit<widest_by_plan>(states, options, results);
  }
  if (words <= 1) return make<Engine<1>>(states, options, results);
  if (words <= 2) return make<Engine<2>>(states, options, results);
  if (words <= 4) return make<Engine<4>>(states, options, results);
  if (words <= 8) return make<Engine<8>>(states, options, results);
  if (words <= 32) return make<Engine<32>>(states, options, results);
  return make<Engine<128>>(states, options, results);
}
#endif

} // namespace fencepost
