#include "explore/results.hpp"

#include <algorithm>

namespace fencepost {

void Results::merge(Results&& other) {
  executions += other.executions;
  blocked += other.blocked;
  erroneous += other.erroneous;
  duplicates += other.duplicates;
  steps += other.steps;
  if (dead_ends + unstable + unjustified == 0) doubt = other.doubt;
  dead_ends += other.dead_ends;
  unstable += other.unstable;
  unjustified += other.unjustified;
  may_miss |= other.may_miss;
  assumed.insert(other.assumed.begin(), other.assumed.end());
  flags.insert(other.flags.begin(), other.flags.end());
  for (auto& [values, count] : other.outcomes)
    outcomes[values] += count;
  for (Finding& f : other.findings) {
    const auto known = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding& k) { return k.kind == f.kind && k.position == f.position; });
    if (known == findings.end())
      findings.push_back(std::move(f));
    else
      known->count += f.count;
  }
  cuts.insert(cuts.end(), other.cuts.begin(), other.cuts.end());
  std::move(other.kept.begin(), other.kept.end(), std::back_inserter(kept));
}

} // namespace fencepost
