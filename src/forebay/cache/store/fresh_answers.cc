#include "forebay/cache/store/fresh_answers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace forebay::cache {
namespace {

constexpr size_t kMaxYoungBytes = FreshAnswers::kMaxBytes / 2;
constexpr size_t kBytesPerAnswer = 128;  // beside its key and version
constexpr uint64_t kAmidWrites = std::numeric_limits<uint64_t>::max();

}  // namespace

const FreshAnswers::Answer* FreshAnswers::answer_of(std::string_view key) const {
  for (const Answers* answers : {&young_, &old_}) {
    if (const auto found = answers->find(key); found != answers->end()) {
      return &found->second;
    }
  }
  return nullptr;
}

std::optional<FreshAnswers::Known> FreshAnswers::find(std::string_view key) const {
  const int64_t now_ns = clock_.now_ns();
  const MutexLock lock(mutex_);
  const Answer* answer = answer_of(key);
  if (answer == nullptr ||
      now_ns - answer->asked_ns >= (answer->is_absent ? absence_trusted_ns_ : trusted_ns_)) {
    return std::nullopt;
  }
  return Known{answer->is_absent, stat_of(key, *answer)};
}

std::optional<storage::ObjectStat> FreshAnswers::find_outdated(std::string_view key) const {
  const MutexLock lock(mutex_);
  const Answer* answer = answer_of(key);
  if (answer == nullptr || answer->is_absent) {
    return std::nullopt;
  }
  return stat_of(key, *answer);
}

storage::ObjectStat FreshAnswers::stat_of(std::string_view key, const Answer& answer) {
  return {std::string(key), answer.size_bytes, answer.modified_ns, answer.version};
}

FreshAnswers::Question FreshAnswers::ask() const {
  const MutexLock lock(mutex_);
  return {clock_.now_ns(), writes_under_way_ == 0 ? writes_ : kAmidWrites};
}

void FreshAnswers::put(const Question& question, std::string key, Answer answer) {
  const MutexLock lock(mutex_);
  if (question.writes != writes_) {
    return;
  }
  answer.asked_ns = question.asked_ns;
  young_bytes_ += key.size() + answer.version.size() + kBytesPerAnswer;
  old_.erase(key);
  young_.insert_or_assign(std::move(key), std::move(answer));
  if (young_bytes_ > kMaxYoungBytes) {
    old_ = std::exchange(young_, {});
    young_bytes_ = 0;
  }
}

void FreshAnswers::record(const Question& question, storage::ObjectStat stat) {
  if (!stat.version.empty()) {
    Answer answer = {.size_bytes = stat.size_bytes, .modified_ns = stat.modified_ns};
    answer.version = std::move(stat.version);
    put(question, std::move(stat.key), std::move(answer));
  }
}

void FreshAnswers::record_absence(const Question& question, std::string key) {
  put(question, std::move(key), {.is_absent = true});
}

bool FreshAnswers::still_counts(const Question& question) const {
  const MutexLock lock(mutex_);
  return question.writes == writes_;
}

bool FreshAnswers::would_be_trusted(const Question& question) const {
  const int64_t age_ns = clock_.now_ns() - question.asked_ns;
  return age_ns < std::min(trusted_ns_, absence_trusted_ns_) && still_counts(question);
}

void FreshAnswers::forget(const std::string& key) {
  const MutexLock lock(mutex_);
  young_.erase(key);
  old_.erase(key);
}

void FreshAnswers::forget_all() {
  const MutexLock lock(mutex_);
  young_.clear();
  old_.clear();
  young_bytes_ = 0;
}

void FreshAnswers::begin_write() {
  const MutexLock lock(mutex_);
  ++writes_;
  ++writes_under_way_;
}

void FreshAnswers::end_write() {
  const MutexLock lock(mutex_);
  ++writes_;
  --writes_under_way_;
}

}  // namespace forebay::cache
