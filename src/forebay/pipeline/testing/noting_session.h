// A session that only notes how it was ended, for tests of who waits for whom.
#pragma once

#include <memory>
#include <vector>

#include "forebay/pipeline/core/waiting_sessions.h"

namespace forebay::pipeline::testing {

/// One thread may end it at a time.
class NotingSession final : public WaitedSession {
 public:
  /// Owned by the test.
  std::shared_ptr<WaitedSession> kept() override { return {std::shared_ptr<void>(), this}; }
  void end(const Status& error) override { errors_.push_back(error); }

  /// What it was ended with, each time.
  const std::vector<Status>& errors() const { return errors_; }

 private:
  std::vector<Status> errors_;
};

}  // namespace forebay::pipeline::testing
