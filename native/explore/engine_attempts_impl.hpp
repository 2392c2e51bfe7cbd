// Attempts in vain (docs/how/waiting.md): a thread that added something, took it back and tries again could as well
// have waited before, where nobody made use of what was there in between. The graph without the first attempt stands
// for this one, so the thread stops, others go on, and where nothing moves the graph is dropped.
//
// Whether an attempt is left out depends only on what is (po, rf)-before the read of the next one: updates form a
// chain, so all that came in between is before what took it back. It is as if the thread knew who wrote what it reads,
// and ended by an assume. That is why the search stays exact.
#pragma once

#include "explore/engine.hpp"
#include "vm/attempts.hpp"

namespace fencepost {

// The attempts in vain before a read among these events.
template <unsigned W> std::vector<typename Engine<W>::Attempt> Engine<W>::attempts(const Set& among) const {
  const Graph<W>& g = graph();
  std::vector<Attempt> found;
  for (const Id e : g.order) {
    const Event& v = g[e];
    if (!among.test(g.bit(e)) || !v.is_read() || v.waiting || v.at->action.part != Part::Rmw) continue;
    const LocalState* next = v.at->child(v.value);
    if (next && next->stopped) found.push_back({v.thread, static_cast<std::uint32_t>(next->stopped->action.high), e});
  }
  return found;
}

template <unsigned W> bool Engine<W>::is_part(const Attempt& a, Id e) const {
  const Event& v = graph()[e];
  return v.thread == a.thread && v.index >= a.first && v.index < graph()[a.next].index;
}

template <unsigned W> bool Engine<W>::is_part(const std::vector<Attempt>& all, Id e) const {
  return std::any_of(all.begin(), all.end(), [&](const Attempt& a) { return is_part(a, e); });
}

// How much less a write would have written without these attempts.
template <unsigned W> std::uint64_t Engine<W>::added(const std::vector<Attempt>& all, Id w) const {
  const Graph<W>& g = graph();
  std::uint64_t sum = 0;
  for (Id e = w; e >= 0; e = g[e].co_before)
    if (is_part(all, e)) sum += g[e].value - g[g.read_of_update(e)].value;
  return sum;
}

// Whether somebody among these events, who is not in such an attempt, makes use of a write of one.
template <unsigned W>
bool Engine<W>::makes_use(const std::vector<Attempt>& all, const Attempt& a, Id w, const Set& among) const {
  const Graph<W>& g = graph();
  const Id next = g[w].co_after;
  if (next == none || !g[next].is_update()) return true;
  if (!is_part(all, next) && !adds(*g[next].at, states_.machine().program())) return true;
  const Set readers = g.readers_of(w, g[w].location) & among;
  return readers.some([&](unsigned r) {
    const Event& v = g.event[r];
    const Action& action = v.at->action;
    if (is_part(all, static_cast<Id>(r)) || v.thread == a.thread) return false;
    if (action.part == Part::Rmw && v.po_after == none) return false; // who stopped there is not in the way
    const std::uint64_t mask = mask_of(8u * action.size);
    return !states_.attempts()->is_indifferent(*v.at, v.value, (v.value - added(all, w)) & mask);
  });
}

// The writes that were there from the first write of an attempt to its last one, which is not among them.
template <unsigned W> std::vector<Id> Engine<W>::between(const Attempt& a) const {
  const Graph<W>& g = graph();
  std::vector<Id> found, newest; // of each location
  for (Id e = g[a.next].po_before; e != none && g[e].index >= a.first; e = g[e].po_before) {
    if (!g[e].is_write()) continue;
    const auto known = std::find_if(newest.begin(), newest.end(), [&](Id n) { return g[n].location == g[e].location; });
    if (known == newest.end()) {
      newest.push_back(e);
      continue;
    }
    std::erase_if(found, [&](Id w) { return g[w].location == g[e].location; }); // they come again
    for (Id w = e; w != *known; w = g[w].co_after)
      found.push_back(w);
  }
  return found;
}

// Whether somebody makes use of one of them.
template <unsigned W>
bool Engine<W>::is_seen(const std::vector<Attempt>& all, const Attempt& a, const Set& among) const {
  const std::vector<Id> there = between(a);
  return std::any_of(there.begin(), there.end(), [&](Id w) { return makes_use(all, a, w, among); });
}

// Writes down what was there, and what would be without these attempts: see UndoneRounds.
template <unsigned W>
void Engine<W>::note_between(const std::vector<Attempt>& all, const Attempt& a, std::uint32_t loop) {
  const Graph<W>& g = graph();
  for (const Id w : between(a)) {
    const Action& action = g[w].at->action;
    const std::uint64_t without = (g[w].value - added(all, w)) & mask_of(8u * action.size);
    if (without != g[w].value)
      results_.between.insert({Between::Kind::Value, action.size, a.thread, loop, action.address, without, g[w].value});
  }
}

// Those of the attempts that can all be left out together.
template <unsigned W>
std::vector<typename Engine<W>::Attempt> Engine<W>::unseen(std::vector<Attempt> all, const Set& among) const {
  for (std::size_t before = all.size() + 1; all.size() < before;) {
    before = all.size();
    const std::vector<Attempt> supposed = all;
    std::erase_if(all, [&](const Attempt& a) { return is_seen(supposed, a, among); });
  }
  return all;
}

// What can be left out together with the attempt before the one that e belongs to, or in whose round it is; nothing
// where that one cannot.
template <unsigned W> std::vector<typename Engine<W>::Attempt> Engine<W>::in_vain(Id e) const {
  const Graph<W>& g = graph();
  Id r = e;
  for (const LocalState* next = nullptr; !next; r = next ? r : g[r].po_before) {
    FP_ASSERT(r != none, "who stops after an attempt should have made one");
    if (!g[r].is_read() || g[r].at->action.part != Part::Rmw) continue;
    next = g[r].at->child(g[r].value);
    if (!next->stopped) next = nullptr;
  }
  Set before = g.prefix_of(r);
  before.set(g.bit(r));
  const std::vector<Attempt> left = unseen(attempts(before), before);
  const bool last = std::any_of(left.begin(), left.end(), [&](const Attempt& a) { return a.next == r; });
  return last ? left : std::vector<Attempt>{};
}

// Stops the thread of an event that was just answered, where the attempt before it is left out. Where it comes back
// to where it was, it may go round for ever, and is stopped when it is there; but not where it would look again: then
// nothing is lost if it is stopped at once.
template <unsigned W> void Engine<W>::stop_after_attempt(Id e) {
  const Graph<W>& g = graph();
  auto& th = graph().thread[g[e].thread];
  if (!leaves_out_ || !th.now->stopped) return;
  const Action& block = th.now->stopped->action;
  const bool now = block.shortcut || block.undone || g[e].reads_from != g.coherence_last(g[e].location);
  const std::vector<Attempt> left = now ? in_vain(e) : std::vector<Attempt>{};
  if (left.empty()) return;
  if (states_.undone())
    for (const Attempt& a : left)
      note_between(left, a, block.loop);
  th.now = th.now->stopped;
}

// A read that is no update may see what was there in between without being before what took it back. Then our knowledge
// ends here. pre: nobody moves.
template <unsigned W> void Engine<W>::report_attempts_seen() {
  const Graph<W>& g = graph();
  const auto stopped = [](const auto& th) { return th.now && th.now->action.attempt; };
  if (std::none_of(g.thread.begin(), g.thread.end(), stopped)) return;
  const std::vector<Attempt> left = unseen(attempts(g.used), g.used);
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    const LocalState* now = g.thread[t].now;
    if (!stopped(g.thread[t])) continue;
    if (std::any_of(left.begin(), left.end(),
                    [&](const Attempt& a) { return a.thread == t && a.first == now->action.high; }))
      continue;
    return reporter_.report(g, ErrorKind::LeftOut,
                            "another thread uses what an attempt adds and takes back: what comes after such an attempt "
                            "is not explored (--no-spin-detection explores it)",
                            now->action.loop, static_cast<std::int32_t>(t), {});
  }
}

} // namespace fencepost
