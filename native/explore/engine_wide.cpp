#include "explore/engine_all.hpp"

template class fencepost::Engine<8>;
template class fencepost::Engine<32>;
template class fencepost::Engine<128>;
