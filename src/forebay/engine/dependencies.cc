#include "forebay/engine/dependencies.h"

namespace forebay::engine {
namespace {

void grant(Access& access, absl::FunctionRef<void(Task&)> unblocked) {
  access.granted = true;
  Task& task = access.task();
  if (--task.blocked == 0) {
    unblocked(task);
  }
}

}  // namespace

void append_access(Access& access) {
  VariableState& variable = *access.variable;
  access.granted = access.writes ? variable.head == nullptr : variable.last_write == nullptr;
  if (!access.granted) {
    ++access.task().blocked;
  }
  access.previous = variable.tail;
  (variable.tail != nullptr ? variable.tail->next : variable.head) = &access;
  variable.tail = &access;
  if (access.writes) {
    variable.last_write = &access;
  }
}

void remove_access(Access& access, absl::FunctionRef<void(Task&)> unblocked) {
  VariableState& variable = *access.variable;
  (access.previous != nullptr ? access.previous->next : variable.head) = access.next;
  (access.next != nullptr ? access.next->previous : variable.tail) = access.previous;
  if (variable.last_write == &access) {
    variable.last_write = nullptr;  // a finished write was the head: all that is left are reads behind it
  }
  Access* head = variable.head;
  if (head == nullptr) {
    if (!variable.has_handles) {
      destroy(&variable);
    }
    return;
  }
  if (head->writes) {
    if (!head->granted) {
      grant(*head, unblocked);
    }
    return;
  }
  if (!access.writes) {
    return;  // a read ended; the reads before the next write were granted already
  }
  for (Access* reader = head; reader != nullptr && !reader->writes; reader = reader->next) {
    grant(*reader, unblocked);
  }
}

void visit_predecessors(const Access& access, absl::FunctionRef<bool(Access&)> visit) {
  if (access.granted) {
    return;
  }
  for (Access* before = access.previous; before != nullptr; before = before->previous) {
    if (before->writes || access.writes) {
      if (!visit(*before)) {
        return;
      }
    }
    if (before->writes) {
      return;
    }
  }
}

}  // namespace forebay::engine
