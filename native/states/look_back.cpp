// Which old values may still matter to a thread. An access of a location leaves its thread with no old value of it, so
// an old value matters if the thread's next access of the location may be one for which it is fatal: a least fixpoint,
// backwards over the steps that the thread is known to have.
// In the same way: what a thread reads in any case before that access; a greatest fixpoint.
#include "states/monitor.hpp"

namespace fencepost::states {
namespace {

using Words = std::vector<std::uint64_t>;

// The words of a row whose first `bits` bits are set.
Words first_bits(std::uint32_t bits, std::uint32_t words) {
  Words mask(words);
  for (std::uint32_t k = 0; k < words; ++k)
    mask[k] = bits >= 64 * (k + 1) ? ~std::uint64_t{0} : bits > 64 * k ? (std::uint64_t{1} << (bits % 64)) - 1 : 0;
  return mask;
}

std::uint64_t word(const Words& words, std::size_t k) { return k < words.size() ? words[k] : 0; }

// One of the two kinds of rows.
struct Side {
  Words LocalState::* next;
  Words LocalState::* fatal[2];
  Words Plan::Place::* mask;
  Words old; // the bits that were there at the last look
};

} // namespace

bool Plan::look_back(LocalStates& locals, std::uint32_t thread, std::uint32_t known, std::uint32_t old_v,
                     std::uint32_t old_x) const {
  const Side sides[] = {{&LocalState::next_v,
                         {&LocalState::fatal_read, &LocalState::fatal_write},
                         &Place::v_mask,
                         first_bits(old_v, v_words)},
                        {&LocalState::next_x,
                         {&LocalState::fatal_update, &LocalState::fatal_update},
                         &Place::x_mask,
                         first_bits(old_x, x_words)}};
  const Words none;
  bool expected = true;
  for (std::uint32_t n = 0; n < locals.count(thread); ++n)
    locals.at(thread, n).before.resize(judged, ~std::uint64_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t n = locals.count(thread); n-- > 0;) {
      LocalState& s = locals.at(thread, n);
      const auto where = static_cast<std::size_t>(s.location);
      const bool any = s.location >= 0 && uses[where].all_critical; // there may come more values, fatal ones too
      for (const Side& side : sides) {
        const Words& here = s.location >= 0 ? places[where].*side.mask : none;
        Words& next = s.*side.next;
        next.resize(side.old.size());
        for (std::size_t k = 0; k < next.size(); ++k) {
          std::uint64_t now = any ? word(here, k) : word(s.*side.fatal[0], k) | word(s.*side.fatal[1], k);
          for (const Successor& to : s.successors)
            now |= word(locals.at(thread, to.next).*side.next, k) & ~word(here, k);
          const std::uint64_t fresh = now & ~next[k];
          next[k] |= fresh;
          changed |= fresh != 0;
          expected &= n >= known || !(fresh & side.old[k]);
        }
      }
      const std::int32_t x = s.location >= 0 ? places[where].index : -1;
      const bool reads = x >= 0 && x < 64 && s.kind != LabelKind::Write && uses[where].settled();
      for (std::uint32_t y = 0; y < judged; ++y) {
        std::uint64_t now = ~std::uint64_t{0};
        for (const Successor& to : s.successors)
          now &= locals.at(thread, to.next).before[y];
        if (reads) now |= std::uint64_t{1} << x;
        if (x == static_cast<std::int32_t>(y)) now = 0;
        const std::uint64_t lost = s.before[y] & ~now;
        s.before[y] &= now;
        changed |= lost != 0;
        expected &= n >= known || !lost;
      }
    }
  }
  return expected;
}

} // namespace fencepost::states
