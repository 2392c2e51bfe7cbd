// What the machine does with memory: allocations, faults of accesses, and memory that only one thread can reach.
#include "vm/machine.hpp"
#include "vm/unset.hpp"

#include <algorithm>
#include <cstring>

namespace fencepost {
namespace {

bool holds(std::uint64_t start, std::uint64_t size, std::uint64_t address) {
  return address >= start && address - start < size;
}

bool has_ended(const ThreadState& s, std::uint64_t start) {
  return std::binary_search(s.ended.begin(), s.ended.end(), start);
}

// What is wrong where a thread comes to memory of its own stack whose call has returned, or whose block has ended.
// Addresses are not given twice.
const char* is_over(const ThreadState& s, std::uint64_t address) {
  if (layout::region(address) != layout::stack || layout::owner(address) != static_cast<int>(s.thread)) return nullptr;
  const auto here = [&](const auto& o) { return holds(o.address, o.size, address); };
  const auto live = std::find_if(s.live.rbegin(), s.live.rend(), here);
  if (live != s.live.rend())
    return has_ended(s, live->address) ? "access to a local variable behind the end of its block" : nullptr;
  return std::any_of(s.allocations.rbegin(), s.allocations.rend(), here)
             ? "access to a local variable whose function has returned"
             : nullptr;
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
    if (i.flags & flag::unset || !s.private_unset.empty()) s.private_unset.resize(top);
    if (i.flags & flag::unset)
      std::fill_n(s.private_unset.begin() + static_cast<std::ptrdiff_t>(start), size, std::uint8_t{0xFF});
    s.private_objects.emplace_back(static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(size));
  } else {
    s.allocations.push_back({address, size, i.position, heap, (i.flags & flag::zeroed) != 0, made_by(i)});
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
  if (const char* over = is_over(s, address)) return fault(out, i, ErrorKind::UseAfterFree, over);
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
  if (has_ended(s, address - offset + start))
    return fault(out, i, ErrorKind::UseAfterFree, "access to a local variable behind the end of its block");
  if (offset - start + i.width <= size) return false;
  return fault(out, i, ErrorKind::OutOfBounds, "access past the end of an object");
}

// A local variable begins to live, or its block ends. Only its own thread is held to it.
void Machine::scope(ThreadState& s, const Instruction& i) const {
  const std::uint64_t address = value(s, i.use[0]), offset = address & 0xFFFF'FFFF;
  const auto at = std::lower_bound(s.ended.begin(), s.ended.end(), address);
  const bool there = at != s.ended.end() && *at == address;
  if (i.flags & flag::ends) {
    if (!there) s.ended.insert(at, address);
    return;
  }
  if (there) s.ended.erase(at);
  if (!(i.flags & flag::unset) || layout::region(address) != layout::private_stack) return;
  for (const auto& [start, size] : s.private_objects)
    if (start == offset && start + size <= s.private_unset.size())
      std::fill_n(s.private_unset.begin() + start, size, std::uint8_t{0xFF});
}

// Forgets those of a call that has returned.
void Machine::forget_ended(ThreadState& s) {
  std::erase_if(s.ended, [&](std::uint64_t at) {
    const auto here = [&](const Live& o) { return o.address == at; };
    return layout::region(at) == layout::private_stack ? (at & 0xFFFF'FFFF) >= s.private_top
                                                       : std::none_of(s.live.begin(), s.live.end(), here);
  });
}

// Bits that nobody has written. The compiler's own checks, copies and arithmetic may meet them; what decides may not.

std::uint64_t Machine::unset_in_memory(const ThreadState& s, std::uint64_t address, unsigned size) {
  const std::uint64_t offset = address & 0xFFFF'FFFF;
  const auto& unset = layout::region(address) == layout::private_stack ? s.private_unset : s.local_unset;
  std::uint64_t bits = 0;
  if (offset + size <= unset.size()) std::memcpy(&bits, unset.data() + offset, size);
  return bits;
}

void Machine::write_unset(ThreadState& s, std::uint64_t address, unsigned size, std::uint64_t bits) {
  const std::uint64_t offset = address & 0xFFFF'FFFF;
  const bool local = layout::region(address) == layout::thread_local_memory;
  auto& unset = local ? s.local_unset : s.private_unset;
  const std::size_t all = local ? s.local_bytes.size() : s.private_bytes.size();
  if (bits && unset.size() < all) unset.resize(all);
  if (offset + size <= unset.size()) std::memcpy(unset.data() + offset, &bits, size);
}

std::uint64_t Machine::computes_unset(const ThreadState& s, const Instruction& i) const {
  std::array<std::uint64_t, 3> of{}, from{};
  for (unsigned k = 0; k < i.extra_count && k < of.size(); ++k) {
    const auto ref = static_cast<OperandRef>(program_.extra[i.extra + k]);
    of[k] = value(s, ref);
    from[k] = unset(s, ref);
  }
  return unset_bits(static_cast<Op>(i.sub), i.width, of, from);
}

bool Machine::undecided(const ThreadState& s, const Instruction& i, Action& out) const {
  const auto tell = [&](const char* what) { return fault(out, i, ErrorKind::Uninitialised, what); };
  const std::uint64_t first = unset(s, i.use[0]);
  switch (i.opcode) {
  case Opcode::Assert:
    if (i.flags & flag::check) return false;
    [[fallthrough]];
  case Opcode::Branch:
  case Opcode::Assume:
    return first && !(value(s, i.use[0]) & ~first) && tell("a branch depends on memory that nobody has written");
  case Opcode::Switch:
    return first && tell("a branch depends on memory that nobody has written");
  case Opcode::Call:
  case Opcode::Spawn:
    return first && tell("a call depends on memory that nobody has written");
  case Opcode::Load:
  case Opcode::Store:
  case Opcode::StoreConditional:
  case Opcode::Rmw:
  case Opcode::Free:
    return first && tell("an address depends on memory that nobody has written");
  case Opcode::Join:
    return first && tell("a wait for a thread depends on memory that nobody has written");
  case Opcode::Await:
  case Opcode::Cas:
  case Opcode::BlockingCas: { // in part: there may be gaps in what it compares with
    if (first) return tell("an address depends on memory that nobody has written");
    const std::uint64_t mask = mask_of(8 * i.width);
    return (unset(s, i.use[1]) & mask) == mask && tell("a comparison depends on memory that nobody has written");
  }
  case Opcode::Exit:
  case Opcode::Return:
    return first && s.thread == 0 && (i.opcode == Opcode::Exit || s.depth == 1) &&
           tell("how the program ends depends on memory that nobody has written");
  case Opcode::Print:
    for (std::uint32_t k = 0; k < i.extra_count; ++k)
      if (unset(s, static_cast<OperandRef>(program_.extra[i.extra + k])))
        return tell("memory that nobody has written is printed");
    return false;
  default:
    return false;
  }
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
  const std::uint64_t unread = unset_in_memory(s, address, i.width);
  const auto write = [&](std::uint64_t v, DepSet d, std::uint64_t unset) {
    std::memcpy(bytes, &v, i.width);
    if (notes) std::fill(notes, notes + i.width, d);
    write_unset(s, address, i.width, unset);
  };
  const std::uint64_t mask = mask_of(8 * i.width);
  switch (i.opcode) {
  case Opcode::Load:
    set(s, i.dst, old, seen);
    mark_unset(s, i.dst, unread);
    break;
  case Opcode::Store:
    write(value(s, i.use[1]), deps(s, i.use[1]), unset(s, i.use[1]));
    break;
  case Opcode::StoreConditional:
    write(value(s, i.use[1]), deps(s, i.use[1]), unset(s, i.use[1]));
    set(s, i.dst, 1, 0);
    break;
  case Opcode::Rmw: {
    const std::uint64_t operand = value(s, i.use[1]), kept = static_cast<RmwOp>(i.sub) == RmwOp::Xchg ? 0 : unread;
    const DepSet d = deps(s, i.use[1]);
    write(update(static_cast<RmwOp>(i.sub), i.width, old, operand), join(seen, d), kept | unset(s, i.use[1]));
    set(s, i.dst, old, seen);
    mark_unset(s, i.dst, unread);
    break;
  }
  case Opcode::Cas: {
    const bool done = old == (value(s, i.use[1]) & mask);
    const DepSet compared = deps(s, i.use[1]);
    const std::uint64_t in_both = unread | unset(s, i.use[1]); // in part: there may be gaps in what it compares
    const std::uint64_t open =
        in_both == mask ? unset_bits(Op::Eq, 8 * i.width, {old, value(s, i.use[1]), 0}, {in_both, 0, 0}) : 0;
    if (done) write(value(s, i.use[2]), deps(s, i.use[2]), unset(s, i.use[2]));
    set(s, i.dst, old, seen);
    mark_unset(s, i.dst, unread);
    set(s, i.dst2, done, join(seen, compared));
    mark_unset(s, i.dst2, open);
    break;
  }
  default: {
    if (unread) return fault(out, i, ErrorKind::Uninitialised, "a wait for memory that nobody has written");
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
      write(value(s, i.use[2]), 0, unset(s, i.use[2]));
    else
      set(s, i.dst, old, seen);
    break;
  }
  }
  ++s.pc;
  return false;
}

} // namespace fencepost
