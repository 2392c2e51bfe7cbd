// Happens-before of a graph whose events come out of program order, as IMM has it: program order, starting and joining
// threads, and synchronisation by release sequences. What happens before an event is, in each thread, all up to some
// slot, so it is kept as one number for each thread.
#pragma once

#include "models/judged_graph.hpp"

namespace fencepost {

template <unsigned W> class HappensBefore {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  explicit HappensBefore(const JudgedGraph<W>& graph) : graph_(graph) {}

  // Finds it; false where IMM forbids the graph: where it contradicts coherence, or has a cycle with reads-from that
  // updates and acquires hand on. pre: coherence holds along each thread, and no pair is one of exclusives.
  bool find(const G& g) {
    begin(g);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t t = 0; t < threads_; ++t)
        while (at_[t] < slots(t).size() && advance(g, t)) {
          if (!fits_) return false;
          moved = true;
        }
    }
    for (std::size_t t = 0; t < threads_; ++t)
      if (at_[t] < slots(t).size()) return false;
    return true;
  }

  // Whether one event happens before another. pre: it was found.
  bool before(const G& g, Id first, Id second) const {
    FP_ASSERT(first != second, "an event should be asked about another one");
    return g[first].slot < clock(Known, second)[g[first].thread];
  }

  // How many slots of a thread happen before an event.
  std::uint32_t slots_before(Id e, std::size_t t) const { return clock(Known, e)[t]; }

  // To be called where threads are not what they were.
  void forget() { known_ = false; }

private:
  // What is kept of an event. The last four of a write: who reads it and acquires comes after that. `Own`: by a release
  // of its own thread; `Chain`: by updates that read from what released; `Read`: both, and what the file calls rs;
  // `Outside`: the same for readers in other threads. Own, Chain and Outside hold that of earlier writes of its thread.
  enum Kind { Known, Own, Chain, Read, Outside, kinds };

  const std::vector<Seen>& slots(std::size_t t) const { return graph_.lines[t].slot; }
  std::uint32_t* clock(Kind kind, Id e) {
    return clocks_.data() + (static_cast<std::size_t>(e) * kinds + kind) * threads_;
  }
  const std::uint32_t* clock(Kind kind, Id e) const {
    FP_ASSERT(e >= 0, "only an event should have a clock");
    FP_ASSERT((static_cast<std::size_t>(e) + 1) * kinds * threads_ <= clocks_.size(), "a clock should have its place");
    return clocks_.data() + (static_cast<std::size_t>(e) * kinds + kind) * threads_;
  }
  std::uint32_t* now(std::size_t t) { return now_.data() + t * threads_; }       // before its next event
  std::uint32_t* fenced(std::size_t t) { return fenced_.data() + t * threads_; } // up to its last release fence

  void join(std::uint32_t* to, const std::uint32_t* from) const {
    for (std::size_t u = 0; u < threads_; ++u)
      to[u] = std::max(to[u], from[u]);
  }

  void begin(const G& g) {
    threads_ = g.thread.size();
    FP_ASSERT(graph_.lines.size() == threads_, "each thread should have been seen");
    clocks_.resize(g.event.size() * kinds * threads_);
    for (auto* all : {&now_, &fenced_})
      all->assign(threads_ * threads_, 0);
    for (auto* all : {&at_, &acquired_})
      all->assign(threads_, 0);
    fits_ = true;
    if (!known_) look(g);
    known_ = true;
  }

  // What hangs on the events of a thread alone.
  void look(const G& g) {
    before_here_.resize(g.event.size());
    listed_.assign(threads_, false);
    here_.resize(threads_);
    last_here_.resize(g.location.size());
    for (std::size_t t = 0; t < threads_; ++t) {
      ++round_;
      for (const Seen& one : slots(t))
        if (one.is_access()) look_back(one);
    }
  }

  struct Here { // of a location, in one thread
    Id access = none, write = none;
  };

  void look_back(const Seen& one) {
    auto& [round, here] = last_here_[one.location];
    if (round != round_) here = {};
    round = round_;
    before_here_[static_cast<std::size_t>(one.event)] = here;
    here.access = one.event;
    if (one.is_write()) here.write = one.event;
  }
  const Here& before_here(Id e) const {
    FP_ASSERT(static_cast<std::size_t>(e) < before_here_.size(), "an event should have been looked at");
    return before_here_[static_cast<std::size_t>(e)];
  }

  // The C11 mode of a fence; Na for everything else.
  static Mode fence_mode(const Seen& one) {
    return one.kind == ActionKind::Fence ? c11_fence(one.action().fence).value_or(Mode::Na) : Mode::Na;
  }

  bool done(const G& g, Id e) const { return at_[g[e].thread] > g[e].slot; }

  // Goes over the next event of a thread; false where something it comes after is not known yet.
  bool advance(const G& g, std::size_t t) {
    const std::size_t k = at_[t];
    const Seen& one = slots(t)[k];
    if (!started(g, t)) return false;
    if (one.event != none) {
      if (!ready(g, t, k, one)) return false;
      if (one.is_read() && acquires(one.mode)) learn(g, t, one);
      if (acquires(fence_mode(one))) acquire(g, t, k);
      now(t)[t] = static_cast<std::uint32_t>(k);
      std::copy_n(now(t), threads_, clock(Known, one.event));
      if (one.is_access()) fits_ = keeps_coherence(g, t, one);
      if (releases(fence_mode(one))) include(t, k, fenced(t));
      if (one.is_write()) write(g, t, k, one);
    }
    ++at_[t];
    return true;
  }

  // All that the thread knows, with what is in this slot.
  void include(std::size_t t, std::size_t k, std::uint32_t* to) {
    std::copy_n(now(t), threads_, to);
    to[t] = static_cast<std::uint32_t>(k + 1);
  }

  bool started(const G& g, std::size_t t) {
    FP_ASSERT(g.thread[t].begin != nullptr, "a thread with events should exist");
    const Id by = g.thread[t].spawned_by;
    if (at_[t] > 0 || by == none) return true;
    if (!done(g, by)) return false;
    std::copy_n(clock(Known, by), threads_, now(t));
    now(t)[g[by].thread] = g[by].slot + 1;
    return true;
  }

  bool ready(const G& g, std::size_t t, std::size_t k, const Seen& one) {
    if (one.kind == ActionKind::Join) {
      const std::size_t child = one.action().value;
      if (at_[child] < slots(child).size()) return false;
      join(now(t), now(child));
      now(t)[child] = std::max(now(t)[child], static_cast<std::uint32_t>(slots(child).size()));
      return true;
    }
    const auto& all = slots(t);
    if (acquires(fence_mode(one)))
      return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(acquired_[t]),
                         all.begin() + static_cast<std::ptrdiff_t>(k),
                         [&](const Seen& r) { return !r.is_read() || sees_known(g, t, r); });
    const bool hands_on = one.is_read() && (acquires(one.mode) || (k + 1 < all.size() && all[k + 1].pair == one.event));
    return !hands_on || sees_known(g, t, one);
  }
  bool sees_known(const G& g, std::size_t t, const Seen& r) const {
    const Id w = g[r.event].reads_from;
    return w < 0 || g[w].thread == t || done(g, w);
  }

  // A fence that acquires stands for the reads since the last one.
  void acquire(const G& g, std::size_t t, std::size_t k) {
    for (; acquired_[t] < k; ++acquired_[t])
      if (const Seen& r = slots(t)[acquired_[t]]; r.is_read()) learn(g, t, r);
  }

  void learn(const G& g, std::size_t t, const Seen& r) {
    const Id w = g[r.event].reads_from;
    if (w < 0 || r.mode == Mode::Na) return;
    FP_ASSERT(done(g, w), "what is read should be known");
    join(now(t), clock(g[w].thread == t ? Read : Outside, w));
  }

  void write(const G& g, std::size_t t, std::size_t k, const Seen& one) {
    const Id w = one.event, last = before_here(w).write;
    FP_ASSERT(last == none || done(g, last), "an earlier write of the thread should be known");
    std::uint32_t* const own = clock(Own, w);
    std::uint32_t* const chain = clock(Chain, w);
    std::uint32_t* const read = clock(Read, w);
    std::uint32_t* const outside = clock(Outside, w);
    if (releases(one.mode))
      include(t, k, own); // which holds what a fence knew
    else
      std::copy_n(fenced(t), threads_, own);
    std::copy_n(own, threads_, chain);
    if (const Id seen = one.pair == none ? none : g[one.pair].reads_from; seen >= 0) join(chain, clock(Chain, seen));
    std::copy_n(chain, threads_, read);
    if (last != none) {
      join(own, clock(Own, last));
      if (one.mode != Mode::Na) join(read, clock(Own, last));
    }
    std::copy_n(read, threads_, outside);
    if (last != none) {
      join(outside, clock(Outside, last));
      join(chain, clock(Chain, last));
    }
  }

  // Along happens-before no access goes back in coherence, and a write goes on.
  bool keeps_coherence(const G& g, std::size_t t, const Seen& one) {
    const std::int32_t here = graph_.place(g, one.event);
    if (here == none) return true;
    const Id last = before_here(one.event).access;
    const bool known = last != none && graph_.place(g, last) != none;
    for (std::size_t u = 0; u < threads_; ++u) {
      const std::uint32_t count = now(t)[u];
      if (u == t || count == 0 || (known && clock(Known, last)[u] >= count)) continue;
      const std::int32_t other = newest(g, u, one.location, count);
      if (other != none && (one.is_write() ? here <= other : here < other)) return false;
    }
    return true;
  }

  // How far in coherence a thread came with the first `count` of its slots.
  std::int32_t newest(const G& g, std::size_t t, Location l, std::uint32_t count) {
    auto& all = here_[t];
    if (!listed_[t]) {
      all.clear();
      for (std::size_t k = 0; k < slots(t).size(); ++k)
        if (slots(t)[k].is_access()) all.emplace_back(slots(t)[k].location, static_cast<std::uint32_t>(k));
      std::sort(all.begin(), all.end());
      listed_[t] = true;
    }
    for (auto last = std::lower_bound(all.begin(), all.end(), std::pair{l, count}); last != all.begin();) {
      --last;
      if (last->first != l) return none;
      if (const std::int32_t place = graph_.place(g, slots(t)[last->second].event); place != none) return place;
    }
    return none;
  }

  const JudgedGraph<W>& graph_;
  std::size_t threads_ = 0;
  std::vector<std::uint32_t> clocks_;       // by event and kind
  std::vector<std::uint32_t> now_, fenced_; // by thread
  std::vector<std::size_t> at_, acquired_;  // by thread: how many slots are done, and how many up to its last acquire
  bool fits_ = true, known_ = false;
  std::vector<Here> before_here_; // by event: what is before it in its thread, of its location
  std::vector<std::pair<std::uint64_t, Here>> last_here_;
  std::uint64_t round_ = 0;
  std::vector<std::vector<std::pair<Location, std::uint32_t>>> here_; // by thread: accesses by location and slot
  std::vector<bool> listed_;
};

} // namespace fencepost
