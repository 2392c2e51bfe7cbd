#include "bind/bind.hpp"
#include "vm/bytecode.hpp"

#include <cstring>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace fencepost;

void bind_program(nb::module_& m) {
  nb::class_<Bytecode>(m, "Bytecode", "A program as the core runs it.")
      .def_prop_ro("instructions", [](const Bytecode& p) { return p.code.size(); });
  m.def(
      "decode",
      [](nb::bytes words, std::vector<std::string> strings) {
        std::vector<std::int64_t> aligned(words.size() / sizeof(std::int64_t));
        std::memcpy(aligned.data(), words.data(), aligned.size() * sizeof(std::int64_t));
        return decode(aligned, std::move(strings));
      },
      nb::arg("words"), nb::arg("strings"), "Decodes what program/encode.py wrote.");
  m.def("enumeration_names", &enumeration_names, "The enumerations of the core, by name and in order.");
}
