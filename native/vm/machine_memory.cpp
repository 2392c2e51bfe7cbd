// What the machine does with memory: allocations, faults of accesses, and memory that only one thread can reach.
#include "vm/machine.hpp"

#include <algorithm>
#include <cstring>

namespace fencepost {
namespace {

bool holds(std::uint64_t start, std::uint64_t size, std::uint64_t address) {
  return address >= start && address - start < size;
}

// Whether a thread comes to memory of its own stack whose call has returned. Addresses are not given twice.
bool is_over(const ThreadState& s, std::uint64_t address) {
  if (layout::region(address) != layout::stack || layout::owner(address) != static_cast<int>(s.thread)) return false;
  const auto here = [&](const auto& o) { return holds(o.address, o.size, address); };
  return std::none_of(s.live.rbegin(), s.live.rend(), here) &&
         std::any_of(s.allocations.rbegin(), s.allocations.rend(), here);
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

} // namespace

bool Machine::allocate(ThreadState& s, const Instruction& i, Action& out) {
  const std::uint64_t size = value(s, i.use[0]);
  const bool hidden = i.flags & flag::private_memory, heap = i.opcode == Opcode::Malloc;
  std::uint64_t& top = heap ? s.heap_top : hidden ? s.private_top : s.stack_top;
  if (size > limits_.memory || top + size > limits_.memory)
    return fault(out, i, ErrorKind::Unsupported, "a thread allocates more memory than we keep");
  const std::uint64_t start = align_up(top, i.number ? i.number : 1);
  top = align_up(start + size, layout::gap) + layout::gap;
  const std::uint64_t region = heap ? layout::heap : hidden ? layout::private_stack : layout::stack;
  FP_ASSERT(start % (i.number ? i.number : 1) == 0, "memory should be aligned as asked");
  const std::uint64_t address = region | static_cast<std::uint64_t>(s.thread) << layout::thread_shift | start;
  if (hidden) {
    s.private_bytes.resize(top);
    if (track_) s.private_deps.resize(top);
    s.private_objects.emplace_back(static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(size));
  } else {
    s.allocations.push_back({address, size, i.position, heap, (i.flags & flag::zeroed) != 0});
    if (!heap) s.live.push_back({address, size, s.depth});
  }
  set(s, i.dst, address, 0);
  return false;
}

// Faults of accesses to global memory; heap and stack are the engine's to judge.
bool Machine::memory_fault(const ThreadState& s, const Instruction& i, std::uint64_t address, Action& out) const {
  out.address = address;
  out.size = i.width;
  constexpr std::uint64_t near_null = layout::globals / 2; // the rest lies before the first object: a[-1]
  if (address < near_null) return fault(out, i, ErrorKind::Null, "access through a null pointer");
  const std::uint64_t region = layout::region(address);
  if (is_over(s, address))
    return fault(out, i, ErrorKind::UseAfterFree, "access to a local variable whose function has returned");
  if (region == layout::stack || region == layout::heap) return misaligned(i, address, out);
  const Object* o = find_object(program_, address);
  if (!o || address - o->address + i.width > o->size)
    return fault(out, i, ErrorKind::OutOfBounds, "access outside every object");
  if (o->constant && i.opcode != Opcode::Load && i.opcode != Opcode::Await)
    return fault(out, i, ErrorKind::Constant, "write to an object that is constant");
  return misaligned(i, address, out);
}

bool Machine::misaligned(const Instruction& i, std::uint64_t address, Action& out) const {
  return address % i.width &&
         fault(out, i, ErrorKind::Misaligned, "access to an address that is not aligned to its size");
}

// The bytes of private or thread-local memory, grown on demand; null where the access is out of bounds.
std::uint8_t* Machine::private_memory(ThreadState& s, std::uint64_t address, unsigned size, DepSet** deps) {
  FP_ASSERT(size > 0 && size <= 8, "an access should have one to eight bytes");
  const std::uint64_t offset = address & 0xFFFF'FFFF;
  const bool local = layout::region(address) == layout::thread_local_memory;
  auto& bytes = local ? s.local_bytes : s.private_bytes;
  auto& notes = local ? s.local_deps : s.private_deps;
  if (local && bytes.empty()) {
    bytes = local_image_;
    if (track_) notes.resize(bytes.size());
  }
  if (offset + size > bytes.size()) return nullptr;
  FP_ASSERT(!track_ || notes.size() == bytes.size(), "each byte of memory should have its dependencies");
  *deps = track_ ? notes.data() + offset : nullptr;
  return bytes.data() + offset;
}

// Accesses beside the objects of the private stack. They lie apart, so that those past an end meet nothing.
bool Machine::private_fault(const ThreadState& s, const Instruction& i, std::uint64_t address, Action& out) const {
  if (layout::region(address) != layout::private_stack) return false;
  const std::uint64_t offset = address & 0xFFFF'FFFF;
  const auto after = std::upper_bound(s.private_objects.begin(), s.private_objects.end(), offset,
                                      [](std::uint64_t at, const auto& o) { return at < o.first; });
  if (after == s.private_objects.begin()) return fault(out, i, ErrorKind::OutOfBounds, "access outside every object");
  const auto& [start, size] = *(after - 1);
  if (offset - start + i.width <= size) return false;
  return fault(out, i, ErrorKind::OutOfBounds, "access past the end of an object");
}

bool Machine::private_access(ThreadState& s, const Instruction& i, std::uint64_t address, Action& out) {
  if (layout::owner(address) != static_cast<int>(s.thread))
    return fault(out, i, ErrorKind::Unsupported, "access to memory that is private to another thread");
  if (private_fault(s, i, address, out)) return true;
  DepSet* notes = nullptr;
  std::uint8_t* bytes = private_memory(s, address, i.width, &notes);
  if (!bytes) return fault(out, i, ErrorKind::OutOfBounds, "access outside every object");
  if (misaligned(i, address, out)) return true;
  std::uint64_t old = 0;
  std::memcpy(&old, bytes, i.width);
  DepSet seen = 0;
  if (notes)
    for (unsigned k = 0; k < i.width; ++k)
      seen = join(seen, notes[k]);
  const auto write = [&](std::uint64_t v, DepSet d) {
    std::memcpy(bytes, &v, i.width);
    if (notes) std::fill(notes, notes + i.width, d);
  };
  const std::uint64_t mask = mask_of(8 * i.width);
  switch (i.opcode) {
  case Opcode::Load:
    set(s, i.dst, old, seen);
    break;
  case Opcode::Store:
    write(value(s, i.use[1]), deps(s, i.use[1]));
    break;
  case Opcode::StoreConditional:
    write(value(s, i.use[1]), deps(s, i.use[1]));
    set(s, i.dst, 1, 0);
    break;
  case Opcode::Rmw: {
    const std::uint64_t operand = value(s, i.use[1]);
    const DepSet d = deps(s, i.use[1]);
    set(s, i.dst, old, seen);
    write(update(static_cast<RmwOp>(i.sub), i.width, old, operand), join(seen, d));
    break;
  }
  case Opcode::Cas: {
    const bool done = old == (value(s, i.use[1]) & mask);
    const std::uint64_t desired = value(s, i.use[2]);
    const DepSet d = deps(s, i.use[2]), compared = deps(s, i.use[1]);
    if (done) write(desired, d);
    set(s, i.dst, old, seen);
    set(s, i.dst2, done, join(seen, compared));
    break;
  }
  default: {
    Action waiting;
    waiting.part = i.opcode == Opcode::Await ? Part::Await : Part::BlockingCas;
    if (!satisfied(s, waiting, old)) {
      out.kind = ActionKind::Block;
      out.alone = true;
      out.spin = i.flags & flag::spin;
      out.loop = out.spin ? i.string : 0;
      out.value = s.events;
      return true;
    }
    if (i.opcode == Opcode::BlockingCas)
      write(value(s, i.use[2]), 0);
    else
      set(s, i.dst, old, seen);
    break;
  }
  }
  ++s.pc;
  return false;
}

} // namespace fencepost
