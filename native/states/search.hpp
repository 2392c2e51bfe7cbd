// Explicit-state search under sequential consistency with monitors: is a program robust against a weaker model?
// The search is a value that advances by slices of time, so that progress, limits and interruption need no callback.
#pragma once

#include "states/codec.hpp"
#include "states/locals.hpp"
#include "states/monitor.hpp"
#include "states/rc11.hpp"
#include "states/state_set.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fencepost::states {

struct SearchOptions {
  Against against = Against::Ra;
  bool depth_first = false;  // no shortest trace, but violations far from the start are met sooner
  bool hash_compact = false; // see StateSet
  std::uint64_t memory = std::uint64_t{4} << 30, states = UINT32_MAX - 1;
  unsigned jobs = 1;
  bool critical_values =
      true;           // false: every value is kept apart, the slow twin of folding those that nobody tells apart
  bool settle = true; // false: keep also what no later label can notice, the slow twin of Monitor::settle
};

enum class SearchStatus : std::uint8_t { Running, Robust, Diverges, Race, StateLimit, MemoryLimit, Unsupported };

// One step of an SC run.
struct TraceStep {
  std::uint32_t thread = 0;
  LabelKind kind = LabelKind::Silent;
  ActionKind action = ActionKind::End;
  FenceKind fence = FenceKind::Sc;
  Mode mode = Mode::Na, failure = Mode::Na; // failure: of a compare-exchange that may still fail
  bool reads = false, writes = false;
  std::uint8_t size = 0;
  std::uint32_t position = 0, other = 0; // other: the thread that a spawn starts or a join waits for
  std::uint64_t address = 0, value_read = 0, value_written = 0;
};

// An error of the program itself, met along the way.
struct ErrorFound {
  std::uint32_t state = 0, thread = 0, position = 0, string = 0;
  ErrorKind kind = ErrorKind::Assertion;
  const char* message = "";
};

// Why a search that found nothing shows less than it seems to. No position where there is nothing to say.
struct Emptiness {
  std::optional<std::uint32_t> assumption;  // this assumption and others like it leave no run that comes to its end
  std::optional<std::uint32_t> waits_alone; // a thread waits here for private memory, which nobody will change
};

struct SearchStatistics {
  std::uint64_t states = 0, transitions = 0, bytes = 0;
  std::uint32_t bits_per_state = 0, locations = 0, monitored = 0, local_states = 0, depth = 0, restarts = 0;
};

class Search {
public:
  Search(const Bytecode& program, SearchOptions options);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // Goes on for about this long; true once the question is answered or a limit is reached.
  bool advance(double seconds);

  SearchStatus status() const { return status_; }
  SearchStatistics statistics() const;
  // pre: status is Robust.
  Emptiness emptiness() const;
  const std::vector<ErrorFound>& errors() const { return errors_; }
  const std::string& unsupported() const { return locals_.unsupported(); }
  std::uint32_t unsupported_position() const { return locals_.unsupported_position(); }

  // The run to the state of the finding, or to the state of an error.
  std::vector<TraceStep> trace() const { return trace_to(finding_->state); }
  std::vector<TraceStep> trace_to(std::uint32_t state) const;

  // The label that diverges, or the two that race. pre: status is Diverges or Race.
  TraceStep offending() const { return label_of(finding_->thread); }
  TraceStep racing() const { return label_of(finding_->other); }

  // What the offending label does where it reads this value: nothing if it waits for another, else what it writes.
  struct Effect {
    bool allowed, writes;
    std::uint64_t written;
  };
  Effect effect(std::uint64_t value) const;

private:
  struct Finding {
    std::uint32_t state, thread, other;
    bool race;
  };
  struct Keys { // see LocalStates::compute; `other` is the thread that is spawned or joined
    std::uint32_t first, last, other;
  };
  struct Miss {
    std::uint32_t thread, local, key, other;
  };
  struct Worker {
    State state, next;
    std::vector<std::uint64_t> packed;
    std::vector<std::vector<std::uint64_t>> out; // per shard: hash, parent, record; and again
    std::vector<Miss> misses;
    std::vector<std::uint32_t> deferred;
    std::vector<ErrorFound> errors;
    std::optional<Finding> finding;
    std::uint64_t transitions = 0;
  };

  void restart(bool scouting);
  void look_ahead();
  bool mark_new(); // false where a label makes something fatal that the plan did not expect
  bool learn();    // computes what expansions missed; false where the search has to start again or to stop
  void repack();
  void run_batch(std::vector<std::uint32_t> ids);
  void expand_all(const std::vector<std::uint32_t>& ids, bool parallel);
  void insert_all(bool parallel);
  void insert_shard(std::uint32_t shard);
  void collect();
  bool next_batch(std::vector<std::uint32_t>& ids);
  void check_limits();

  void expand(Worker& w, std::uint32_t id) const;
  void judge(Worker& w, std::uint32_t id) const;
  void find_race_by_hb(Worker& w, std::uint32_t id) const;
  void find_race(Worker& w, std::uint32_t id) const;
  void find_deadlock(Worker& w, std::uint32_t id) const;
  bool somebody_finishes() const;
  template <class F> void successors(const State& s, State& next, std::vector<Miss>* misses, F emit) const;
  Keys keys(const State& s, const LocalState& l) const;
  std::uint32_t alone(const State& s) const;
  void apply(const State& s, State& next, std::uint32_t t, const LocalState& l, const Successor& to,
             std::uint32_t other) const;
  void apply_rc11(const State& s, State& next, std::uint32_t t, const LocalState& l, const Successor& to,
                  std::uint32_t other) const;
  std::uint64_t hash(const State& s, const std::uint64_t* packed) const;
  std::size_t shard_of(const State& s) const;
  State initial() const;
  void load(std::uint32_t id, State& s) const;
  TraceStep describe(const State& s, std::uint32_t t, const Successor* to, std::uint32_t other) const;
  TraceStep label_of(std::uint32_t thread) const;

  const Bytecode& program_;
  SearchOptions options_;
  LocalStates locals_;
  Plan plan_;
  Monitor monitor_;
  Rc11Monitor rc11_;
  Codec codec_;
  std::vector<StateSet> shards_;
  std::vector<std::uint32_t> next_, level_end_, stack_;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> marked_; // per thread: local states whose fatal sets are up to date
  std::uint32_t marked_v_ = 0, marked_x_ = 0;
  std::vector<ErrorFound> errors_;
  std::optional<Finding> finding_;
  State finding_state_;
  SearchStatus status_ = SearchStatus::Running;
  std::uint32_t depth_ = 0, restarts_ = 0;
  std::uint64_t scouted_ = 1024; // how many states the next look ahead may visit
};

} // namespace fencepost::states
