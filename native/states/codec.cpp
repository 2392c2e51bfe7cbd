#include "states/codec.hpp"

#include "states/words.hpp"
#include "vm/contract.hpp"

#include <bit>
#include <cstring>

namespace fencepost::states {
namespace {

std::uint8_t width_for(std::size_t count) {
  return static_cast<std::uint8_t>(count < 2 ? 0 : std::bit_width(count - 1));
}

class BitWriter {
public:
  explicit BitWriter(Word* out) : out_(out) {}
  void put(Word value, unsigned width) {
    if (width == 0) return;
    FP_ASSERT(width <= 64, "a field should fit a word");
    FP_ASSERT(width == 64 || value >> width == 0, "a number should fit its field");
    word_ |= value << used_;
    if (used_ + width >= 64) {
      *out_++ = word_;
      word_ = used_ ? value >> (64 - used_) : 0;
      used_ += width - 64;
    } else {
      used_ += width;
    }
  }
  void put_row(const Word* row, std::uint32_t bits) {
    for (; bits >= 64; bits -= 64)
      put(*row++, 64);
    if (bits) put(*row, bits);
  }
  void finish() {
    if (used_) *out_ = word_;
  }

private:
  Word* out_;
  Word word_ = 0;
  unsigned used_ = 0;
};

class BitReader {
public:
  explicit BitReader(const std::uint8_t* in) : in_(in) {}
  Word get(unsigned width) {
    if (width == 0) return 0;
    FP_ASSERT(width <= 64, "a field should fit a word");
    Word value;
    std::memcpy(&value, in_ + at_ / 8, sizeof value);
    value >>= at_ % 8;
    const unsigned have = 64 - at_ % 8;
    if (width > have) value |= Word{in_[at_ / 8 + 8]} << have;
    at_ += width;
    return width < 64 ? value & ((Word{1} << width) - 1) : value;
  }
  void get_row(Word* row, std::uint32_t bits) {
    for (; bits >= 64; bits -= 64)
      *row++ = get(64);
    if (bits) *row = get(bits);
  }

private:
  const std::uint8_t* in_;
  std::size_t at_ = 0;
};

} // namespace

Codec::Codec(const LocalStates& locals, const Plan& plan) : plan_(plan) {
  for (std::uint32_t t = 0; t < plan.threads; ++t)
    local_width_.push_back(width_for(locals.count(t)));
  for (const Location& l : locals.locations())
    value_width_.push_back(width_for(l.values.size()));
  writer_width_ = plan.model == Against::Tso ? width_for(plan.threads + 1) : 0;
  for (const std::uint8_t w : local_width_)
    bits_ += w;
  for (const std::uint8_t w : value_width_)
    bits_ += w;
  bits_ += plan.monitored * writer_width_;
  for (const Plan::Row& row : plan.thread_rows)
    bits_ += plan.threads * plan.bits(row.kind);
  for (const Plan::Row& row : plan.location_rows)
    bits_ += plan.monitored * plan.bits(row.kind);
  for (const Plan::Row& row : plan.global_rows)
    bits_ += plan.bits(row.kind);
  bytes_ = bits_ / 8 + 1;
}

bool Codec::fits(const LocalStates& locals, const Plan& plan) const {
  if (plan.threads != plan_.threads || plan.v_count != plan_.v_count || plan.x_count != plan_.x_count ||
      plan.r_count != plan_.r_count || locals.locations().size() != value_width_.size())
    return false;
  for (std::uint32_t t = 0; t < plan.threads; ++t)
    if (width_for(locals.count(t)) > local_width_[t]) return false;
  for (std::size_t k = 0; k < value_width_.size(); ++k)
    if (width_for(locals.locations()[k].values.size()) > value_width_[k]) return false;
  return true;
}

void Codec::pack(const State& s, Word* out) const {
  FP_ASSERT(s.locals.size() == local_width_.size(), "a state should have all threads");
  FP_ASSERT(s.values.size() == value_width_.size(), "a state should have all locations");
  FP_ASSERT(s.rows.size() >= plan_.rows, "a state should have all rows");
  out[words() - 1] = 0;
  BitWriter w(out);
  for (std::size_t t = 0; t < local_width_.size(); ++t)
    w.put(s.locals[t], local_width_[t]);
  for (std::size_t k = 0; k < value_width_.size(); ++k)
    w.put(s.values[k], value_width_[k]);
  for (const std::uint32_t writer : s.writers)
    w.put(writer, writer_width_);
  const Word* at = s.rows.data();
  const auto put = [&](std::uint32_t count, std::uint32_t stride, const std::vector<Plan::Row>& rows) {
    for (std::uint32_t k = 0; k < count; ++k, at += stride)
      for (const Plan::Row& row : rows)
        w.put_row(at + row.offset, plan_.bits(row.kind));
  };
  put(plan_.threads, plan_.thread_stride, plan_.thread_rows);
  put(plan_.monitored, plan_.location_stride, plan_.location_rows);
  put(1, plan_.global_stride, plan_.global_rows);
  w.finish();
}

void Codec::unpack(const std::uint8_t* in, State& s, const Plan& now) const {
  FP_ASSERT(now.threads >= local_width_.size(), "threads should only become more");
  FP_ASSERT(now.places.size() >= value_width_.size(), "locations should only become more");
  const bool tso = now.model == Against::Tso;
  s.locals.assign(now.threads, not_started);
  s.values.assign(now.places.size(), 0);
  s.writers.assign(tso ? now.monitored : 0, 0);
  s.rows.assign(now.rows, 0);
  BitReader r(in);
  for (std::size_t t = 0; t < local_width_.size(); ++t)
    s.locals[t] = static_cast<std::uint32_t>(r.get(local_width_[t]));
  for (std::size_t k = 0; k < value_width_.size(); ++k)
    s.values[k] = static_cast<std::uint32_t>(r.get(value_width_[k]));
  for (std::uint32_t& writer : s.writers)
    writer = static_cast<std::uint32_t>(r.get(writer_width_));
  // The rows of `now` are those of the packed plan, possibly longer: same order, own offsets and old lengths.
  Word* at = s.rows.data();
  const auto get = [&](std::uint32_t count, std::uint32_t stride, const std::vector<Plan::Row>& rows) {
    for (std::uint32_t k = 0; k < count; ++k, at += stride)
      for (const Plan::Row& row : rows)
        r.get_row(at + row.offset, plan_.bits(row.kind));
  };
  get(plan_.threads, now.thread_stride, now.thread_rows);
  at = s.rows.data() + std::size_t{now.threads} * now.thread_stride;
  get(plan_.monitored, now.location_stride, now.location_rows);
  at = s.rows.data() + std::size_t{now.threads} * now.thread_stride + std::size_t{now.monitored} * now.location_stride;
  get(1, now.global_stride, now.global_rows);
}

} // namespace fencepost::states
