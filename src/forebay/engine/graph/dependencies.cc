#include "forebay/engine/graph/dependencies.h"

#include <algorithm>

namespace forebay::engine {
namespace {

void grant(Access& access, TaskList& unblocked) FOREBAY_HOLDS {
  access.granted = true;
  Task& task = access.task();
  if (--task.blocked == 0) {
    unblocked.add(task);
  }
}

/// Everything before `variable.unissued` is issued, so what follows may be issued, too: a write, or reads up
/// to the next write.
void grant_issuable(VariableState& variable, bool grants_reads, TaskList& unblocked) FOREBAY_HOLDS {
  Access* access = variable.unissued;
  if (access == nullptr) {
    return;
  }
  if (access->writes) {
    if (!access->granted && access->task().is_for_device) {
      grant(*access, unblocked);
    }
    return;
  }
  for (; grants_reads && access != nullptr && !access->writes; access = access->next) {
    if (!access->granted && access->task().is_for_device) {
      grant(*access, unblocked);
    }
  }
}

void skip_issued(VariableState& variable) FOREBAY_HOLDS {
  while (variable.unissued != nullptr && variable.unissued->issued) {
    variable.unissued = variable.unissued->next;
  }
}

void note_device(Access& access) FOREBAY_HOLDS {
  VariableState& variable = *access.variable;
  if (access.task().is_for_device) {
    if (variable.device_accesses++ == 0) {
      variable.unissued = variable.head;
    }
    access.granted = access.writes ? variable.unissued == nullptr
                                   : variable.last_write == nullptr || variable.last_write->issued;
  }
  if (variable.unissued == nullptr) {
    variable.unissued = &access;
  }
}

/// Called before `access` is removed.
void forget_on_device(Access& access) FOREBAY_HOLDS {
  VariableState& variable = *access.variable;
  if (variable.unissued == &access) {
    variable.unissued = access.next;
    skip_issued(variable);
  }
  if (access.task().is_for_device && --variable.device_accesses == 0) {
    variable.unissued = nullptr;
  }
}

}  // namespace

void append_access(Access& access) {
  VariableState& variable = *access.variable;
  access.granted = access.writes ? variable.head == nullptr : variable.last_write == nullptr;
  if (variable.device_accesses != 0 || access.task().is_for_device) [[unlikely]] {
    note_device(access);
  }
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

void remove_access(Access& access, TaskList& unblocked) {
  VariableState& variable = *access.variable;
  const bool has_device = variable.device_accesses != 0;
  if (has_device) [[unlikely]] {
    forget_on_device(access);
  }
  (access.previous != nullptr ? access.previous->next : variable.head) = access.next;
  (access.next != nullptr ? access.next->previous : variable.tail) = access.previous;
  if (variable.last_write == &access) {
    variable.last_write = nullptr;  // a finished write was the head: only the reads behind it are left
  }
  Access* head = variable.head;
  if (head == nullptr) {
    if (!variable.has_handles) {
      destroy(&variable);
    }
    return;
  }
  if (has_device) [[unlikely]] {
    grant_issuable(variable, access.writes, unblocked);
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
    if (!reader->granted) {
      grant(*reader, unblocked);
    }
  }
}

void issue_access(Access& access, TaskList& unblocked) {
  access.issued = true;
  skip_issued(*access.variable);
  grant_issuable(*access.variable, access.writes, unblocked);
}

bool is_first(const Access& access) {
  if (access.writes) {
    return access.previous == nullptr;
  }
  const Access* before = access.previous;
  while (before != nullptr && !before->writes) {
    before = before->previous;
  }
  return before == nullptr;
}

bool is_first(const Task& task) {
  return std::ranges::all_of(task.accesses(),
                             [](const Access& access) FOREBAY_HOLDS { return is_first(access); });
}

void visit_followers(const Access& access, absl::FunctionRef<bool(Access&)> visit) {
  for (Access* after = access.next; after != nullptr; after = after->next) {
    if ((after->writes || access.writes) && !visit(*after)) {
      return;
    }
    if (after->writes) {
      return;
    }
  }
}

void visit_predecessors(const Access& access, absl::FunctionRef<bool(Access&)> visit) {
  if (!access.granted) {
    visit_conflicts(access, visit);
  }
}

void visit_conflicts(const Access& access, absl::FunctionRef<bool(Access&)> visit) {
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
