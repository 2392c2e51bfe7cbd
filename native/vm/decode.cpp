#include "vm/bytecode.hpp"

#include <algorithm>

namespace fencepost {
namespace {

constexpr std::int64_t magic = 0x46454E4345;
constexpr std::size_t record = 18;
constexpr std::int64_t encoded_no_operand = -(std::int64_t{1} << 62);

using Section = std::span<const std::int64_t>;

std::vector<Section> split(std::span<const std::int64_t> words) {
  if (words.size() < 2 || words[0] != magic) throw DecodeError("the words should start with the magic number");
  std::vector<Section> sections;
  std::size_t at = 2;
  for (std::int64_t i = 0; i < words[1]; ++i) {
    if (at >= words.size()) throw DecodeError("a section should have a length");
    const auto length = static_cast<std::size_t>(words[at++]);
    if (length > words.size() - at) throw DecodeError("a section should not run past the end");
    sections.push_back(words.subspan(at, length));
    at += length;
  }
  return sections;
}

OperandRef operand(std::int64_t word) {
  return word == encoded_no_operand ? no_operand : static_cast<OperandRef>(word);
}

Instruction instruction(Section w, std::uint32_t start) {
  Instruction i{};
  i.opcode = static_cast<Opcode>(w[0]);
  i.dst = static_cast<std::int32_t>(w[1]);
  i.dst2 = static_cast<std::int32_t>(w[2]);
  i.width = static_cast<std::uint8_t>(w[3]);
  i.sub = static_cast<std::uint8_t>(w[4]);
  i.number = static_cast<std::uint64_t>(i.opcode == Opcode::Alloca || i.opcode == Opcode::Malloc ? w[3] : w[4]);
  i.mode = static_cast<Mode>(w[5]);
  i.failure = static_cast<Mode>(w[6]);
  i.flags = static_cast<std::uint32_t>(w[7]);
  for (std::size_t k = 0; k < 4; ++k)
    i.use[k] = operand(w[8 + k]);
  i.extra = static_cast<std::uint32_t>(w[12]);
  i.extra_count = static_cast<std::uint32_t>(w[13]);
  for (std::size_t k = 0; k < 2; ++k)
    i.target[k] = start + static_cast<std::uint32_t>(w[14 + k]);
  i.string = static_cast<std::uint32_t>(w[16]);
  i.position = static_cast<std::uint32_t>(w[17]);
  return i;
}

std::vector<std::pair<std::uint64_t, std::uint8_t>> bytes(Section words) {
  std::vector<std::pair<std::uint64_t, std::uint8_t>> found;
  for (std::size_t k = 0; k + 1 < words.size(); k += 2)
    found.emplace_back(static_cast<std::uint64_t>(words[k]), static_cast<std::uint8_t>(words[k + 1]));
  return found;
}

} // namespace

Bytecode decode(std::span<const std::int64_t> words, std::vector<std::string> strings) {
  const auto sections = split(words);
  if (sections.size() != 10) throw DecodeError("there should be ten sections");
  Bytecode p;
  p.strings = std::move(strings);
  for (std::size_t k = 0; k + 5 <= sections[0].size(); k += 5) {
    const auto o = sections[0].subspan(k, 5);
    p.objects.push_back({static_cast<std::uint32_t>(o[0]), static_cast<std::uint64_t>(o[1]),
                         static_cast<std::uint64_t>(o[2]), o[3] != 0, o[4] != 0});
  }
  std::stable_partition(p.objects.begin(), p.objects.end(), [](const Object& o) { return !o.thread_local_; });
  p.constants.assign(sections[6].begin(), sections[6].end());
  p.extra.assign(sections[7].begin(), sections[7].end());
  p.code.resize(sections[8].size() / record);
  for (std::size_t k = 0; k + 7 <= sections[1].size(); k += 7) {
    const auto f = sections[1].subspan(k, 7);
    const Function function{static_cast<std::uint32_t>(f[0]), static_cast<std::uint32_t>(f[1]),
                            static_cast<std::uint32_t>(f[2]), static_cast<std::uint32_t>(f[3]),
                            static_cast<std::uint32_t>(f[4]), f[5] != 0};
    if (function.start + function.length > p.code.size()) throw DecodeError("a function should lie inside the code");
    for (std::uint32_t i = function.start; i < function.start + function.length; ++i)
      p.code[i] = instruction(sections[8].subspan(i * record, record), function.start);
    if (function.parameters > function.registers) throw DecodeError("parameters should be registers");
    p.functions.push_back(function);
  }
  for (std::size_t k = 0; k + 4 <= sections[2].size(); k += 4) {
    const auto t = sections[2].subspan(k, 4);
    StaticThread thread{static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), {}};
    for (std::int64_t a = 0; a < t[3]; ++a) {
      const auto reference = p.extra.at(static_cast<std::size_t>(t[2] + a));
      thread.args.push_back(p.constants.at(static_cast<std::size_t>(~reference)));
    }
    p.threads.push_back(std::move(thread));
  }
  for (std::size_t k = 0; k + 3 <= sections[3].size(); k += 3) {
    const auto o = sections[3].subspan(k, 3);
    p.observations.push_back({o[0] != 0, static_cast<std::uint64_t>(o[1]), static_cast<std::uint32_t>(o[2])});
  }
  p.initial = bytes(sections[4]);
  p.initial_local = bytes(sections[5]);
  p.cuts.assign(sections[9].begin(), sections[9].end());
  return p;
}

std::uint64_t initial_value(const Bytecode& program, std::uint64_t address, unsigned size) {
  std::uint64_t value = 0;
  auto at = std::lower_bound(program.initial.begin(), program.initial.end(), std::pair{address, std::uint8_t{0}});
  for (; at != program.initial.end() && at->first < address + size; ++at)
    value |= static_cast<std::uint64_t>(at->second) << (8 * (at->first - address));
  return value;
}

const Object* find_object(const Bytecode& program, std::uint64_t address) {
  const auto end =
      std::find_if(program.objects.begin(), program.objects.end(), [](const Object& o) { return o.thread_local_; });
  auto after = std::upper_bound(program.objects.begin(), end, address,
                                [](std::uint64_t a, const Object& o) { return a < o.address; });
  if (after == program.objects.begin()) return nullptr;
  const Object& candidate = *(after - 1);
  return address - candidate.address < candidate.size ? &candidate : nullptr;
}

} // namespace fencepost
