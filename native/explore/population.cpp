#include "explore/population.hpp"

#include <algorithm>
#include <random>
#include <unordered_map>

namespace fencepost {

class Random {
public:
  double below(double most) { return std::uniform_real_distribution<double>(0, most)(numbers_); }

private:
  std::mt19937_64 numbers_;
};

Sampling::Sampling() : random(std::make_unique<Random>()) {}
Sampling::~Sampling() = default;

namespace detail {
namespace {

using Strata = std::unordered_map<std::uint64_t, std::vector<Chosen>>;

// Thins one stratum out to `quota`: heavy ones stay as they are, of the others a systematic sample in proportion to
// weight. Appends to `kept`; whether any was dropped.
bool thin_stratum(std::vector<Chosen>& stratum, std::size_t quota, Random& random, std::vector<Chosen>& kept) {
  if (stratum.size() <= quota) return kept.insert(kept.end(), stratum.begin(), stratum.end()), false;
  std::stable_sort(stratum.begin(), stratum.end(),
                   [](const Chosen& a, const Chosen& b) { return a.weight > b.weight; });
  double left = 0;
  for (const Chosen& c : stratum)
    left += c.weight;
  std::size_t heavy = 0;
  for (; quota > 1 && stratum[heavy].weight * static_cast<double>(quota) >= left; ++heavy, --quota) {
    left -= stratum[heavy].weight;
    kept.push_back(stratum[heavy]);
  }
  const double step = left / static_cast<double>(quota);
  double at = random.below(step);
  for (std::size_t k = heavy, taken = 0; k < stratum.size() && taken < quota; ++k) {
    at -= stratum[k].weight;
    if (at >= 0 && k + 1 < stratum.size()) continue; // rounding must not lose the last
    kept.push_back({stratum[k].index, step, stratum[k].key});
    at += step;
    ++taken;
  }
  return true;
}

Strata group(const std::vector<Mark>& level, unsigned coarse) {
  Strata strata;
  for (std::uint32_t k = 0; k < level.size(); ++k) {
    const std::uint64_t key = level[k].stratum.key(coarse);
    strata[key].push_back({k, level[k].weight, key});
  }
  return strata;
}

double mean_size(const std::vector<std::pair<std::uint64_t, double>>& weights, std::size_t depth,
                 const SubtreeSizes& sizes) {
  double known = 0, sum = 0;
  for (const auto& [key, weight] : weights)
    if (const double size = sizes.mean(depth, key); size >= 0) {
      known += weight;
      sum += weight * size;
    }
  return known > 0 ? sum / known : 0;
}

} // namespace

std::vector<Chosen> thin(const std::vector<Mark>& level, std::size_t depth, Sampling& how, bool& exact) {
  std::vector<Chosen> kept;
  how.reached = 0;
  for (std::uint32_t k = 0; k < level.size(); ++k) {
    how.reached += level[k].weight;
    if (level.size() <= how.size) kept.push_back({k, level[k].weight, level[k].stratum.key(0)});
  }
  if (level.size() <= how.size) return kept;
  unsigned coarse = 0;
  Strata strata = group(level, coarse);
  while (strata.size() > 8 * how.size && coarse < Stratum::coarsest)
    strata = group(level, ++coarse);
  std::vector<std::pair<std::uint64_t, double>> weights; // in an order that does not depend on the library
  for (const auto& [key, members] : strata) {
    double sum = 0;
    for (const Chosen& c : members)
      sum += c.weight;
    weights.emplace_back(key, sum);
  }
  std::sort(weights.begin(), weights.end());
  const double mean = mean_size(weights, depth, how.sizes);
  for (const auto& [key, sum] : weights) {
    const double size = how.sizes.mean(depth, key);
    const double favour = size < 0 || mean <= 0 ? 1 : 0.3 + 0.7 * size / mean;
    const double quota = static_cast<double>(how.size) * sum * favour / how.reached;
    const auto most = static_cast<std::size_t>(std::max(1.0, std::min(quota + 0.5, 1e9)));
    if (thin_stratum(strata[key], most, *how.random, kept)) exact = false;
  }
  return kept;
}

void learn(std::vector<std::vector<Record>>& below, SubtreeSizes& sizes) {
  for (std::size_t level = below.size(); level-- > 0;)
    for (const Record& r : below[level]) {
      sizes.add(level, r.key, r.weight, r.size);
      if (level > 0) {
        FP_ASSERT(r.parent < below[level - 1].size(), "a graph should have its parent on the level above");
        Record& parent = below[level - 1][r.parent];
        parent.size += r.size * (r.weight / parent.weight);
      }
    }
}

} // namespace detail

} // namespace fencepost
