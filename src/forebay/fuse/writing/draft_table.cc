#include "forebay/fuse/writing/draft_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "forebay/base/units.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kExpectedNs = 10 * kSecond;

}  // namespace

std::shared_ptr<Draft> DraftTable::open(uint64_t node, const std::string& key,
                                        const std::function<std::shared_ptr<Draft>()>& begin) {
  const MutexLock lock(mutex_);
  auto found = drafts_.find(node);
  if (found == drafts_.end()) {
    std::shared_ptr<Draft> draft = begin();
    if (!draft) {
      return nullptr;
    }
    found = drafts_.emplace(node, Known{key, std::move(draft)}).first;
    by_key_.insert_or_assign(key, node);
  }
  ++found->second.handles;
  return found->second.draft;
}

bool DraftTable::close(uint64_t node) {
  const MutexLock lock(mutex_);
  const auto found = drafts_.find(node);
  return found != drafts_.end() && --found->second.handles == 0;
}

void DraftTable::end(uint64_t node, const std::function<void(bool is_expected)>& ended) {
  const MutexLock lock(mutex_);
  const auto found = drafts_.find(node);
  if (found == drafts_.end() || found->second.handles > 0) {
    return;
  }
  const auto named = by_key_.find(found->second.key);
  if (named != by_key_.end() && named->second == node) {
    by_key_.erase(named);
  }
  const bool is_expected = is_expected_now(found->second.key);
  drafts_.erase(found);
  ended(is_expected);
}

std::shared_ptr<Draft> DraftTable::find(uint64_t node) const {
  const MutexLock lock(mutex_);
  const auto found = drafts_.find(node);
  return found == drafts_.end() ? nullptr : found->second.draft;
}

std::optional<ActiveDraft> DraftTable::find_key(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    return std::nullopt;
  }
  return ActiveDraft{found->second, found->first, drafts_.at(found->second).draft};
}

std::vector<ActiveDraft> DraftTable::below(std::string_view folder) const {
  const MutexLock lock(mutex_);
  std::vector<ActiveDraft> found;
  for (auto each = by_key_.lower_bound(folder); each != by_key_.end() && each->first.starts_with(folder);
       ++each) {
    found.push_back({each->second, each->first, drafts_.at(each->second).draft});
  }
  return found;
}

void DraftTable::forget_key(std::string_view key) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    drafts_.at(found->second).key.clear();
    by_key_.erase(found);
  }
}

void DraftTable::rename(uint64_t node, std::string key) {
  const MutexLock lock(mutex_);
  const auto found = drafts_.find(node);
  if (found == drafts_.end()) {
    return;
  }
  by_key_.erase(found->second.key);
  by_key_.insert_or_assign(key, node);
  found->second.key = std::move(key);
}

void DraftTable::expect(const std::string& key, uint32_t thread) {
  const int64_t now_ns = clock_.now_ns();
  const MutexLock lock(mutex_);
  for (auto each = expected_.begin(); each != expected_.end();) {
    std::erase_if(each->second, [now_ns](const auto& until) { return until.second < now_ns; });
    each = each->second.empty() ? expected_.erase(each) : std::next(each);
  }
  expected_[key][thread] = now_ns + kExpectedNs;
}

bool DraftTable::is_expected(std::string_view key) const {
  const MutexLock lock(mutex_);
  return is_expected_now(key);
}

bool DraftTable::is_expected_now(std::string_view key) const {
  const auto found = expected_.find(key);
  const int64_t now_ns = clock_.now_ns();
  return found != expected_.end() &&
         std::ranges::any_of(found->second, [now_ns](const auto& each) { return each.second >= now_ns; });
}

void DraftTable::take_expected(std::string_view key, uint32_t thread) {
  const MutexLock lock(mutex_);
  const auto found = expected_.find(key);
  if (found != expected_.end() && found->second.erase(thread) > 0 && found->second.empty()) {
    expected_.erase(found);
  }
}

}  // namespace forebay::fuse
