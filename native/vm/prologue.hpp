// What the first thread does before it starts another one. Nobody else is there to see it, so it happens in one way: it
// is done once, byte by byte, and what it leaves in memory is what an execution begins with (docs/how/exploration.md).
// It ends before anything that needs the engine: a thread, a choice, a wait that is not served, anything suspicious.
#pragma once

#include "vm/machine.hpp"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fencepost {

class Prologue {
public:
  struct Step {
    ActionKind kind;
    Mode mode;
    FenceKind fence;
    bool rmw, noreturn;
    std::uint8_t size;
    std::uint64_t address, value;
    std::uint32_t position;
    std::int32_t reads_from; // of a read: the step that wrote it, or `untouched`
  };
  static constexpr std::int32_t untouched = -1, in_parts = -2;

  // Runs the thread and gives the action at which it stands, which is not answered; nothing where there is too little
  // to do or no end of it: then the state should be made again.
  std::optional<Action> run(Machine& machine, ThreadState& state, std::uint32_t least);

  // What memory holds behind it.
  std::uint64_t value(const Bytecode& program, std::uint64_t address, unsigned size) const;
  // Whether it wrote all of these bytes.
  bool wrote(std::uint64_t address, unsigned size) const;
  bool freed(std::uint64_t address) const { return freed_.contains(address); }

  const std::vector<Step>& steps() const { return steps_; }
  // The step that wrote this place last; `untouched`, or `in_parts` where it was written by accesses to other places.
  std::int32_t writer(std::uint64_t address, unsigned size) const;

private:
  bool take(Machine& machine, ThreadState& state, const Action& action);
  bool valid(const Machine& machine, const ThreadState& state, const Action& action) const;
  void write(const Action& action);
  void clear();

  struct Word {
    std::uint64_t bytes = 0;
    std::uint8_t written = 0; // one bit for each byte
  };
  std::unordered_map<std::uint64_t, Word> words_;        // by address / 8
  std::unordered_map<std::uint64_t, std::int32_t> byte_; // the step that wrote a byte last
  std::set<std::uint64_t> freed_;
  std::vector<Step> steps_;
};

} // namespace fencepost
