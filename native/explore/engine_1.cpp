#include "explore/engine_blocks_impl.hpp"
#include "explore/engine_impl.hpp"
#include "explore/engine_probe_impl.hpp"
#include "explore/engine_report_impl.hpp"
#include "explore/engine_save_impl.hpp"

template class fencepost::Engine<1>;
