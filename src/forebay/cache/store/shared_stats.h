// Questions about objects that are under way upstream: whoever asks the same meanwhile waits for the answer.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/store/fresh_answers.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr. A caller joins a question only if its answer would be trusted
/// had it come, and if the question is as urgent as the caller, has as much time and is not retried for
/// longer.
class SharedStats : public std::enable_shared_from_this<SharedStats> {
 public:
  SharedStats(std::shared_ptr<storage::ObjectStore> upstream, std::shared_ptr<FreshAnswers> answers)
      : upstream_(std::move(upstream)), answers_(std::move(answers)) {}

  /// Records the answer. Errors go to all who wait. A caller that is cancelled is answered at once; the
  /// question ends with the last.
  void stat(const std::string& key, const storage::CallContext& context, storage::StatCallback done);

 private:
  struct Question;
  struct Waiter;

  std::shared_ptr<Question> open_question(const std::string& key, const storage::CallContext& context)
      FOREBAY_REQUIRES(mutex_);
  bool may_join(const Question& question, const storage::CallContext& context) const;
  static bool is_worth_asking(const Waiter& waiter, const Question& failed, const Status& status);
  void ask(const std::shared_ptr<Question>& question);
  void answered(const std::shared_ptr<Question>& question, const Result<storage::ObjectStat>& stat);
  void unregister(const Question& question) FOREBAY_REQUIRES(mutex_);
  void cancel(Waiter* waiter);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<FreshAnswers> answers_;
  Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Question>> questions_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
