#include "bind/bind.hpp"
#include "models/fence_pairs.hpp"
#include "vm/arithmetic.hpp"
#include "vm/bytecode.hpp"

#include <cstring>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <stdexcept>

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
  m.def(
      "fence_pairs",
      [](int kind) {
        const unsigned pairs = detail::fence_pairs(static_cast<FenceKind>(kind));
        std::vector<std::string> named;
        if (pairs & detail::RR) named.push_back("rr");
        if (pairs & detail::RW) named.push_back("rw");
        if (pairs & detail::WR) named.push_back("wr");
        if (pairs & detail::WW) named.push_back("ww");
        return named;
      },
      nb::arg("kind"), "The pairs of accesses that the fence with this number orders.");
  m.def(
      "compute",
      [](unsigned op, unsigned width, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        if (width < 1 || width > 64) throw std::invalid_argument("width");
        std::optional<Fault> fault;
        const std::uint64_t value = compute(static_cast<Op>(op), width, a, b, c, fault);
        return std::pair(value, fault ? static_cast<int>(fault->kind) : -1);
      },
      nb::arg("op"), nb::arg("width"), nb::arg("a"), nb::arg("b") = 0, nb::arg("c") = 0,
      "What an operation gives, and the kind of its fault, or -1: for the comparison with program/arithmetic.py.");
  m.def(
      "update",
      [](unsigned op, unsigned size, std::uint64_t old, std::uint64_t value) {
        if (size < 1 || size > 8) throw std::invalid_argument("size");
        return update(static_cast<RmwOp>(op), size, old, value);
      },
      nb::arg("op"), nb::arg("size"), nb::arg("old"), nb::arg("value"),
      "What a read-modify-write leaves in memory: for the comparison with program/arithmetic.py.");
  m.def("enumeration_names", &enumeration_names, "The enumerations of the core, by name and in order.");
}
