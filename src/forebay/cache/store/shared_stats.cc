#include "forebay/cache/store/shared_stats.h"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::StatCallback;

struct SharedStats::Question {
  std::string key;
  CallContext context;  // of the call upstream
  FreshAnswers::Question asked;
  std::stop_source stop;
  std::vector<std::shared_ptr<Waiter>> waiters;
};

/// A waiter is answered by whoever takes it out of its question. Its references are weak: a store that drops
/// a question unanswered frees all of it.
struct SharedStats::Waiter {
  struct Cancel {
    std::weak_ptr<SharedStats> stats;
    Waiter* waiter;
    void operator()() const {
      if (const auto alive = stats.lock()) {
        alive->cancel(waiter);
      }
    }
  };

  std::weak_ptr<Question> question;  // empty before it waits, and once it is answered
  bool is_cancelled = false;         // before it waits
  CallContext context;
  StatCallback done;
  std::optional<std::stop_callback<Cancel>> on_stop;
};

bool SharedStats::may_join(const Question& question, const CallContext& context) const {
  const bool is_urgent_enough = question.context.priority <= context.priority;
  const bool is_soon_over = context.is_for_read || !question.context.is_for_read;
  return is_urgent_enough && is_soon_over && question.context.deadline_ns >= context.deadline_ns &&
         answers_->would_be_trusted(question.asked);
}

std::shared_ptr<SharedStats::Question> SharedStats::open_question(const std::string& key,
                                                                  const CallContext& context) {
  auto question =
      std::make_shared<Question>(Question{.key = key, .context = context, .asked = answers_->ask()});
  question->context.cancellation = question->stop.get_token();
  questions_[key] = question;
  return question;
}

void SharedStats::stat(const std::string& key, const CallContext& context, StatCallback done) {
  const auto waiter = std::make_shared<Waiter>();
  waiter->context = context;
  waiter->done = std::move(done);
  if (context.cancellation.stop_possible()) {
    waiter->on_stop.emplace(context.cancellation, Waiter::Cancel{weak_from_this(), waiter.get()});
  }
  std::shared_ptr<Question> opened;
  {
    const MutexLock lock(mutex_);
    if (!waiter->is_cancelled) {
      const auto known = questions_.find(key);
      const bool joins = known != questions_.end() && may_join(*known->second, context);
      opened = joins ? nullptr : open_question(key, context);
      const std::shared_ptr<Question>& question = joins ? known->second : opened;
      waiter->question = question;
      question->waiters.push_back(waiter);
    }
  }
  if (opened) {
    ask(opened);
  } else if (waiter->is_cancelled) {
    waiter->done(not_wanted(context, upstream_->uri_of(key)));
  }
}

/// Whether a question is given up sooner than one that `waiter` asks for itself.
bool SharedStats::is_worth_asking(const Waiter& waiter, const Question& failed, const Status& status) {
  return status.code() == StatusCode::kUnavailable && waiter.context.is_for_read &&
         !failed.context.is_for_read;
}

void SharedStats::ask(const std::shared_ptr<Question>& question) {
  upstream_->stat(question->key, question->context,
                  [self = shared_from_this(), question](const Result<ObjectStat>& stat) {
                    self->answered(question, stat);
                  });
}

void SharedStats::unregister(const Question& question) {
  const auto found = questions_.find(question.key);
  if (found != questions_.end() && found->second.get() == &question) {
    questions_.erase(found);
  }
}

void SharedStats::answered(const std::shared_ptr<Question>& question, const Result<ObjectStat>& stat) {
  if (stat.ok()) {
    answers_->record(question->asked, *stat);
  } else if (stat.status().code() == StatusCode::kNotFound) {
    answers_->record_absence(question->asked, question->key);
  }
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    const MutexLock lock(mutex_);
    unregister(*question);
    waiters.swap(question->waiters);
    for (const std::shared_ptr<Waiter>& waiter : waiters) {
      waiter->question.reset();
    }
  }
  for (std::shared_ptr<Waiter>& waiter : waiters) {
    const std::shared_ptr<Waiter> next = std::move(waiter);
    if (is_worth_asking(*next, *question, stat.status())) {
      this->stat(question->key, next->context, std::move(next->done));
    } else {
      next->done(stat);
    }
  }
}

void SharedStats::cancel(Waiter* waiter) {
  std::shared_ptr<Waiter> cancelled;
  std::shared_ptr<Question> question;
  bool is_last = false;
  {
    const MutexLock lock(mutex_);
    question = waiter->question.lock();
    waiter->question.reset();
    if (!question) {
      waiter->is_cancelled = true;
      return;
    }
    const auto place = std::find_if(question->waiters.begin(), question->waiters.end(),
                                    [&](const auto& known) { return known.get() == waiter; });
    cancelled = std::move(*place);
    question->waiters.erase(place);
    is_last = question->waiters.empty();
    if (is_last) {
      unregister(*question);
    }
  }
  cancelled->done(not_wanted(cancelled->context, upstream_->uri_of(question->key)));
  if (is_last) {
    question->stop.request_stop();
  }
}

}  // namespace forebay::cache
