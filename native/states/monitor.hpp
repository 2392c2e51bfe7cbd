// Sequential consistency with monitors (SCM): what an SC run must remember so that every label can be judged by
// Theorem 5.3 of Lahav and Margalit, "Robustness against release/acquire semantics" (PLDI 2019), for three models.
//
// The theorem behind all three. Let a model be (1) closed under prefixes along po and rf, (2) at least as strong as
// coherence per location with atomic RMWs, and (3) such that po and rf together have no cycle. Take a smallest graph G'
// that it allows and SC does not, and b the last event of a run that builds it: G = G' without b is SC-consistent, b
// takes its place behind a write w of its location x that is not the last one, and x's last write wmax reaches the
// thread of b by hbSC. (The proof is the paper's A.2: it uses of RA only these three properties.) So a program is
// robust exactly if in no reachable state of SC some thread offers a label for which
//     wmax(x) reaches the thread by hbSC    and    the model allows an older write of x as the predecessor.
// What the model allows differs in one thing: which relation carries "has seen". With seen* its closure, an old write w
// of x is allowed as long as no coherence-later write of x is seen* by the thread (and, for labels that write, no RMW
// reads from w). The old writes that are still allowed are always the coherence-last ones, so meeting two such sets of
// values loses nothing although values stand for writes.
//     RA   hb = (po + rf)+                                                  Figure 6 of the paper
//     SRA  reads as RA; writes: (hb + mo)+, so that a write also follows its coherence predecessors
//     TSO  ghb = (po without write->read + fences + rfe + co + fr)+; a read also follows its own thread's writes of x
// TSO distinguishes what precedes the next read of a thread (earlier reads; all after a fence or an RMW) from what
// precedes its next write (everything), hence its additional rows. A CAS that fails is a read like any other, as in
// tso.cat (on x86 it fences too, so a divergence that needs one cannot happen there).
//
// Sets of locations are kept as complements ("not aware"), so that a fresh monitor is all zero, and so is everything
// about a location that nobody has written yet: the paper's initial MSC and WSC differ from that only in bits that no
// later step reads. Rows can therefore grow at their end without touching stored states.
#pragma once

#include "states/locals.hpp"
#include "states/rc11_layout.hpp"

#include <cstdint>
#include <vector>

namespace fencepost::states {

// Sc: nothing is monitored and nothing can diverge; the search meets the program's own errors.
enum class Against : std::uint8_t { Ra, Sra, Tso, Sc, Rc11, Rc11Cpp20 };

inline bool is_rc11(Against model) { return model == Against::Rc11 || model == Against::Rc11Cpp20; }

// A state of the search, unpacked. `values` holds a value number per location, `rows` the monitor.
struct State {
  std::vector<std::uint32_t> locals, values;
  std::vector<std::uint32_t> writers; // TSO: per monitored location the thread that wrote last, plus one
  std::vector<std::uint64_t> rows;
};

// Which locations are monitored, which bit stands for which of their values, and where each row lies.
struct Plan {
  struct Use {       // what was known of a location when the plan was made
    bool own = true; // touched by one thread only
    bool monitored = false, tracks_reads = false, tracks_updates = false, all_critical = false;
    bool only_updated = false;                                                      // every write of it is an RMW
    bool settled() const { return only_updated || (writers & (writers - 1)) == 0; } // see settle.cpp
    std::uint64_t readers = 0, writers = 0; // of a monitored one: the threads that may read it, or write it
    std::vector<std::uint64_t> critical;
    bool judged() const { return tracks_reads || tracks_updates; } // else no label on it can diverge
    // RC11 only.
    bool non_atomic = false;                 // some access of a shared location is not atomic: races are looked for
    bool seq_cst = false;                    // some access is seq-cst
    std::uint64_t releasing = 0, weaker = 0; // the threads that may release by a write of it, or write it without
    bool operator==(const Use&) const = default;
  };
  // What a row holds a bit for: judged locations, old values for reads, old values for updates, accesses that may race.
  enum class Bits : std::uint8_t { Locations, Reads, Updates, Races };
  struct Row {
    std::uint32_t offset;
    Bits kind;
  };
  struct Place {
    std::int32_t index = -1;                    // among the monitored ones
    std::vector<std::int32_t> v_bits, x_bits;   // by class of value
    std::vector<std::int32_t> v_value, x_value; // by value number
    std::vector<std::uint64_t> v_mask, x_mask;
    std::int32_t first_race = -1; // RC11: the first of its bits for races, `race_kinds` per thread
    std::uint32_t race_kinds = 0;
  };

  Against model = Against::Ra;
  bool scouting = false;
  std::uint32_t threads = 0, monitored = 0, v_count = 0, x_count = 0, r_count = 0;
  std::uint32_t judged = 0;                                         // the monitored ones that are judged come first
  std::uint32_t l_words = 0, v_words = 0, x_words = 0, r_words = 0; // words of a row
  std::uint32_t thread_stride = 0, location_stride = 0, global_stride = 0, rows = 0;
  std::vector<Row> thread_rows, location_rows, global_rows; // in the order of their offsets
  Rc11Layout rc11;
  // Offsets inside the rows of a thread and of a location. Where a model needs no row of its own, it shares one.
  std::uint32_t vsc = 0, vr = 0, vw = 0, own = 0, vx = 0, vrx = 0;
  std::uint32_t msc = 0, wsc = 0, w = 0, wx = 0, m = 0, mx = 0;
  std::vector<Use> uses;
  std::vector<Place> places;
  std::vector<std::uint32_t> at; // monitored index -> location

  static Plan make(const LocalStates& locals, Against model);
  // Nothing is monitored: for a look ahead at what the threads do.
  static Plan scout(const LocalStates& locals, Against model);

  // Whether so much was learned since that stored monitors lack something, or forgot something that matters: the search
  // must start again.
  bool outdated(const LocalStates& locals) const;

  std::uint32_t bits(Bits kind) const {
    const std::uint32_t counts[] = {judged, v_count, x_count, r_count};
    return counts[static_cast<std::size_t>(kind)];
  }
  std::uint32_t words(Bits kind) const { return (bits(kind) + 63) / 64; }

  // Makes room for new values, threads and unmonitored locations; keeps every bit where it was.
  void grow(const LocalStates& locals);

  // Whether a label concerns its thread alone: it commutes with every step of the others and none of them notices it.
  // Under TSO that includes fences: they change only what their own thread's next read follows.
  bool invisible(const LocalState& s) const {
    return s.kind == LabelKind::Choose || s.kind == LabelKind::Silent || s.kind == LabelKind::Fence ||
           (s.location >= 0 && uses[static_cast<std::size_t>(s.location)].own);
  }

  // Computes the fatal sets of a label.
  void mark(const LocalStates& locals, LocalState& s) const;

  // Brings LocalState::next_v, next_x and before up to date. False if one of the thread's first `known` local states
  // has more in it than at the last look, when rows had old_v and old_x bits: what was forgotten there may matter.
  [[nodiscard]] bool look_back(LocalStates& locals, std::uint32_t thread, std::uint32_t known, std::uint32_t old_v,
                               std::uint32_t old_x) const;

private:
  static Use use_of(const Location& l, Against model);
  void number_values(const LocalStates& locals);
  void number_races();
  void lay_out();
  void lay_out_rc11(); // see rc11_layout.cpp
};

class Monitor {
public:
  explicit Monitor(const Plan& plan) : p_(plan) {}

  void read(State& s, std::uint32_t thread, std::uint32_t x) const;
  // `v` and `x_bit` stand for the value that is overwritten, in the rows of reads and of updates; -1 where untracked.
  void write(State& s, std::uint32_t thread, std::uint32_t x, bool update, std::int32_t v, std::int32_t x_bit) const;
  void fence(State& s, std::uint32_t thread) const; // TSO: what precedes the next write precedes the next read
  void spawn(State& s, std::uint32_t parent, std::uint32_t child) const;
  void join(State& s, std::uint32_t thread, std::uint32_t child) const;
  void forget(State& s, std::uint32_t thread) const;      // a thread without a future needs no monitor
  void settle(State& s, const LocalStates& locals) const; // forgets what no later label can notice, see settle.cpp

  // hbSC is the same for every model: what an access tells of who is aware of whose last write.
  void read_sc(State& s, std::uint32_t thread, std::uint32_t x) const;
  void write_sc(State& s, std::uint32_t thread, std::uint32_t x) const;

  // Theorem 5.3: whether the model could place this label behind an older write although SC cannot have the graph.
  bool diverges(const State& s, std::uint32_t thread, const LocalState& label) const;

private:
  std::uint64_t* thread_row(State& s, std::uint32_t t, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{t} * p_.thread_stride + offset;
  }
  const std::uint64_t* thread_row(const State& s, std::uint32_t t, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{t} * p_.thread_stride + offset;
  }
  std::uint64_t* location_row(State& s, std::uint32_t x, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{p_.threads} * p_.thread_stride + std::size_t{x} * p_.location_stride + offset;
  }
  const std::uint64_t* location_row(const State& s, std::uint32_t x, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{p_.threads} * p_.thread_stride + std::size_t{x} * p_.location_stride + offset;
  }
  void anticipate(State& s, std::uint32_t thread, const LocalState& label) const;
  void settle_values(State& s, const LocalStates& locals) const;
  void keep_everywhere(State& s, std::uint32_t word, Plan::Bits kind, std::uint64_t live) const;
  void settle_awareness(State& s, const LocalStates& locals) const;
  void settle_location(State& s, std::uint32_t x) const;
  std::uint64_t risk(const State& s, std::uint32_t thread, const LocalState& label, std::uint32_t k,
                     bool updates) const;
  bool at_risk(const State& s, std::uint32_t thread, const LocalState& label, std::uint32_t x) const;
  void write_seen(State& s, std::uint32_t thread, std::uint32_t x, bool update) const;
  void write_seen_tso(State& s, std::uint32_t thread, std::uint32_t x, bool update) const;
  void add_old(State& s, std::uint32_t thread, std::uint32_t x, bool update, std::int32_t v, std::int32_t x_bit) const;

  const Plan& p_;
};

} // namespace fencepost::states
