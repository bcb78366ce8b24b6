// Windows of a stream, sorted by length and cut into batches.
#include "forebay/dataset/order/length_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/random/permutation.h"
#include "forebay/base/random/random.h"
#include "forebay/base/round_up.h"

namespace forebay::dataset {
namespace {

constexpr size_t kKeptWindows = 8;

}  // namespace

LengthGroups::LengthGroups(std::shared_ptr<const std::vector<uint64_t>> lengths, uint64_t batch_size,
                           uint64_t window_batches)
    : lengths_(std::move(lengths)), batch_size_(batch_size), window_size_(batch_size * window_batches) {
  FOREBAY_CHECK(lengths_ != nullptr && batch_size >= 1 && window_batches >= 1);
  kept_.reserve(kKeptWindows);  // so that nothing is thrown with the lock held
}

uint64_t LengthGroups::number_in(Table table, uint64_t k, const StreamRange& epoch,
                                 std::optional<uint64_t> key, SampleAt sample_at) const {
  const std::shared_ptr<const Window> window = window_of(k, epoch, key, sample_at);
  const std::vector<uint32_t>& numbers = (*window).*table;
  return window->range.begin + numbers[static_cast<size_t>(k - window->range.begin)];
}

StreamRange LengthGroups::window_range(uint64_t k, const StreamRange& epoch) const {
  const uint64_t begin = k / window_size_ * window_size_;
  return {std::max(begin, epoch.begin), std::min(begin + window_size_, epoch.end)};
}

// Who cannot have what is kept at once does without: a child of a fork might wait for ever.
std::shared_ptr<const LengthGroups::Window> LengthGroups::kept(const StreamRange& range) const {
  if (!mutex_.try_lock()) {
    return nullptr;
  }
  std::shared_ptr<const Window> window;
  const auto found = std::ranges::find(kept_, range, [](const auto& each) { return each->range; });
  if (found != kept_.end()) {
    std::rotate(kept_.begin(), found, found + 1);
    window = kept_.front();
  }
  mutex_.unlock();
  return window;
}

void LengthGroups::keep(const std::shared_ptr<const Window>& window) const {
  if (!mutex_.try_lock()) {
    return;
  }
  if (kept_.size() == kKeptWindows) {
    kept_.pop_back();
  }
  kept_.insert(kept_.begin(), window);
  mutex_.unlock();
}

std::shared_ptr<const LengthGroups::Window> LengthGroups::window_of(uint64_t k, const StreamRange& epoch,
                                                                    std::optional<uint64_t> key,
                                                                    SampleAt sample_at) const {
  const StreamRange range = window_range(k, epoch);
  FOREBAY_CHECK(range.begin <= k && k < range.end);
  if (std::shared_ptr<const Window> window = kept(range)) {
    return window;
  }
  auto window = std::make_shared<Window>();
  window->range = range;
  window->before = in_batches(range, key, sorted(range, sample_at));
  window->after.resize(window->before.size());
  for (size_t i = 0; i < window->before.size(); ++i) {
    window->after[window->before[i]] = static_cast<uint32_t>(i);
  }
  keep(window);
  return window;
}

std::vector<uint32_t> LengthGroups::sorted(const StreamRange& range, SampleAt sample_at) const {
  std::vector<uint64_t> lengths;
  for (uint64_t k = range.begin; k < range.end; ++k) {
    lengths.push_back((*lengths_)[static_cast<size_t>(sample_at(k))]);
  }
  std::vector<uint32_t> numbers(lengths.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::stable_sort(numbers, {}, [&](uint32_t number) { return lengths[number]; });
  return numbers;
}

// A batch that is cut at the window's begin has the shortest samples, and one that is cut at its end the
// longest.
std::vector<uint32_t> LengthGroups::in_batches(const StreamRange& range, std::optional<uint64_t> key,
                                               const std::vector<uint32_t>& sorted) const {
  const uint64_t size = range.end - range.begin;
  const uint64_t head = std::min(round_up(range.begin, batch_size_) - range.begin, size);
  const uint64_t batches = (size - head) / batch_size_;
  if (!key || batches < 2) {
    return sorted;
  }
  const Permutation permutation(mix64(*key, range.begin), batches);
  std::vector<uint32_t> numbers = sorted;
  for (uint64_t batch = 0; batch < batches; ++batch) {
    const auto from = sorted.begin() + static_cast<ptrdiff_t>(head + permutation(batch) * batch_size_);
    const auto to = numbers.begin() + static_cast<ptrdiff_t>(head + batch * batch_size_);
    std::copy_n(from, batch_size_, to);  // copy: numbers of a batch
  }
  return numbers;
}

}  // namespace forebay::dataset
