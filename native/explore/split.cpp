// Work for others: pieces that wait are cut at their oldest choices, which have most of the tree below them.
#include "explore/explorer.hpp"

#include <deque>

namespace fencepost {

void Explorer::split(std::size_t count) {
  LocalStates states(program_, options_.by_plan(), options_.machine, numbers_);
  Results scratch;
  std::deque<std::vector<std::int64_t>> open(remaining_.begin(), remaining_.end());
  std::vector<std::vector<std::int64_t>> whole; // what has no choice to give away
  while (!open.empty() && open.size() + whole.size() < count) {
    auto piece = std::move(open.front());
    open.pop_front();
    if (piece.empty()) { // the whole exploration has made no choice yet
      whole.push_back(std::move(piece));
      continue;
    }
    Width width = Width::One;
    const auto engine = load_engine(width, piece, states, options_, scratch);
    auto given = engine->split();
    if (given.empty()) {
      whole.push_back(std::move(piece));
      continue;
    }
    open.push_back(engine->save());
    open.push_back(std::move(given));
  }
  whole.insert(whole.end(), open.begin(), open.end());
  remaining_ = std::move(whole);
}

} // namespace fencepost
