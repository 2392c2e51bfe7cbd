#include "bind/bind.hpp"
#include "vm/contract.hpp"

#include <string>

namespace nb = nanobind;

namespace {

// A broken contract is our own bug, and Python has a word for that.
void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const fencepost::BrokenContract& broken) {
    const nb::object kind = nb::module_::import_("fencepost.errors").attr("InternalError");
    const std::string text = std::string(broken.what()) + "; please report this with the program that was checked";
    PyErr_SetString(kind.ptr(), text.c_str());
  }
}

} // namespace

NB_MODULE(_core, m) {
  m.doc() = "The native core of fencepost.";
  nb::set_leak_warnings(false); // what is left when Python ends is no matter of those who use the command
  nb::register_exception_translator(translate);
  bind_program(m);
  bind_results(m);
  bind_explore(m);
  bind_states(m);
  bind_candidates(m);
}
