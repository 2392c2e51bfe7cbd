#include "explore/results.hpp"

#include <algorithm>

namespace fencepost {

void Results::merge(Results&& other) {
  executions += other.executions;
  blocked += other.blocked;
  erroneous += other.erroneous;
  duplicates += other.duplicates;
  choices += other.choices;
  representing += other.representing;
  uncounted += other.uncounted;
  late += other.late;
  asymmetric |= other.asymmetric;
  irregular |= other.irregular;
  digest += other.digest;
  if (dead_ends + unstable + unjustified == 0) doubt = other.doubt;
  dead_ends += other.dead_ends;
  unstable += other.unstable;
  unjustified += other.unjustified;
  waits_in_block |= other.waits_in_block;
  assumed.insert(other.assumed.begin(), other.assumed.end());
  flags.insert(other.flags.begin(), other.flags.end());
  for (auto& [values, count] : other.outcomes)
    outcomes[values] += count;
  every_error |= other.every_error;
  for (Finding& f : other.findings) {
    const auto known = std::find_if(findings.begin(), findings.end(), [&](const Finding& k) {
      return !every_error && k.kind == f.kind && k.position == f.position;
    });
    if (known == findings.end()) {
      findings.push_back(std::move(f));
      continue;
    }
    f.count += known->count;
    if (f.execution.events.size() < known->execution.events.size())
      *known = std::move(f);
    else
      known->count = f.count;
  }
  between.insert(other.between.begin(), other.between.end());
  looks.insert(other.looks.begin(), other.looks.end());
  report_left_out();
  in_parts |= other.in_parts;
  cuts.insert(cuts.end(), other.cuts.begin(), other.cuts.end());
  std::move(other.kept.begin(), other.kept.end(), std::back_inserter(kept));
}

namespace {

const char* left_out(Between::Kind kind) {
  switch (kind) {
  case Between::Kind::Read:
  case Between::Kind::PlainRead:
  case Between::Kind::Touched:
    return "an iteration of the loop that was left out reads what another thread writes or frees: whether the two are "
           "always in order is not known (--no-spin-detection explores it)";
  case Between::Kind::Stored:
    return "another thread uses what an iteration of the loop stores again: what comes after such an iteration is not "
           "explored (--no-spin-detection explores it)";
  default:
    return "another thread may see what an iteration of the loop adds and takes back after the loop has ended: what "
           "comes of that is not explored (--no-spin-detection explores it)";
  }
}

} // namespace

void Results::report_left_out() {
  for (const Between& b : between) {
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
      return f.kind == ErrorKind::LeftOut && f.position == b.loop;
    });
    if (known || std::none_of(looks.begin(), looks.end(), [&](const Look& l) { return meet(b, l); })) continue;
    Finding f;
    f.kind = ErrorKind::LeftOut;
    f.message = left_out(b.kind);
    f.position = b.loop;
    f.thread = static_cast<std::int32_t>(b.thread);
    findings.push_back(std::move(f));
  }
}

} // namespace fencepost
