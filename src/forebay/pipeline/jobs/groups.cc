#include "forebay/pipeline/jobs/groups.h"

#include <algorithm>
#include <utility>

namespace forebay::pipeline {

Groups::Groups(int samples, int size, bool in_order)
    : size_(size), in_order_(in_order), places_(samples, Place::kToCome) {
  for (int first = 0; first < samples; first += size) {
    groups_.push_back({.to_come = std::min(size, samples - first), .is_taken = false, .members = {}});
  }
}

void Groups::arrive(int index) {
  const MutexLock lock(mutex_);
  Group& own = groups_[index / size_];
  const Place before = std::exchange(places_[index], Place::kArrived);
  if (before == Place::kToCome) {
    --own.to_come;
  }
  if (own.is_taken) {
    groups_.push_back({.to_come = 0, .is_taken = false, .members = {index}});
  } else {
    own.members.push_back(index);
  }
}

void Groups::leave(int index) {
  const MutexLock lock(mutex_);
  if (places_[index] == Place::kToCome) {
    places_[index] = Place::kLeft;
    --groups_[index / size_].to_come;
  }
}

std::vector<int> Groups::take() {
  const MutexLock lock(mutex_);
  if (is_running_) {
    return {};
  }
  skip_passed();
  for (size_t at = first_; at < groups_.size(); ++at) {
    Group& group = groups_[at];
    if (group.to_come == 0 && !group.is_taken && !group.members.empty()) {
      group.is_taken = true;
      is_running_ = in_order_;
      std::ranges::sort(group.members);
      return std::move(group.members);
    }
    if (in_order_) {
      return {};
    }
  }
  return {};
}

// Skips groups at the front that were taken or that all samples have left.
void Groups::skip_passed() {
  const auto is_passed = [](const Group& group) {
    return group.is_taken || (group.to_come == 0 && group.members.empty());
  };
  while (first_ < groups_.size() && is_passed(groups_[first_])) {
    groups_[first_++].is_taken = true;
  }
}

void Groups::finish() {
  const MutexLock lock(mutex_);
  is_running_ = false;
  has_run_ = true;
}

bool Groups::is_over() {
  const MutexLock lock(mutex_);
  skip_passed();
  return has_run_ && !is_running_ && first_ == groups_.size();
}

}  // namespace forebay::pipeline
