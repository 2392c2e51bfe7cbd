// The width that nearly every program needs has a file of its own: with others beside it the compiler inlines less.
#include "explore/engine_all.hpp"

template class fencepost::Engine<1>;
