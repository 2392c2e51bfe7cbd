#include "explore/engine_all.hpp"

template class fencepost::Engine<2>;
template class fencepost::Engine<8>;
template class fencepost::Engine<fencepost::many>;
