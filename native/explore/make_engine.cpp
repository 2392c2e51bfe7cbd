#include "explore/engine.hpp"

namespace fencepost {

extern template class Engine<1>;
extern template class Engine<2>;
extern template class Engine<4>;
extern template class Engine<8>;
extern template class Engine<16>;
extern template class Engine<32>;
extern template class Engine<64>;
extern template class Engine<128>;

std::unique_ptr<AnyEngine> make_engine(unsigned words, LocalStates& states, const ExploreOptions& options,
                                       Results& results) {
  switch (words) {
  case 1:
    return std::make_unique<Engine<1>>(states, options, results);
  case 2:
    return std::make_unique<Engine<2>>(states, options, results);
  case 4:
    return std::make_unique<Engine<4>>(states, options, results);
  case 8:
    return std::make_unique<Engine<8>>(states, options, results);
  case 16:
    return std::make_unique<Engine<16>>(states, options, results);
  case 32:
    return std::make_unique<Engine<32>>(states, options, results);
  case 64:
    return std::make_unique<Engine<64>>(states, options, results);
  case 128:
    return std::make_unique<Engine<128>>(states, options, results);
  default:
    return nullptr;
  }
}

} // namespace fencepost
