// A list that only grows, newest library first: readers follow pointers, a writer puts its library in front
// if nobody was faster. Rows are never freed.
#include "forebay/operators/added_operators.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace forebay::operators {
namespace {

struct Link {
  AddedOperators added;
  const Link* older = nullptr;
};

std::atomic<const Link*> newest_link{nullptr};

bool has_origin(const Link* newest, const void* origin) {
  for (const Link* link = newest; link != nullptr; link = link->older) {
    if (link->added.origin == origin) {
      return true;
    }
  }
  return false;
}

/// `library` is empty for Forebay's own operators.
Status check_pair(const AddedOperators& added, const OperatorSpec& row, const std::string& library,
                  const OperatorSpec& present) {
  const std::string name = folded_name(row.name);
  const std::string other = folded_name(present.name);
  const std::string owner = library.empty() ? "Forebay itself" : "'" + library + "'";
  if (name == other) {
    return already_exists("'{}' has an operator '{}', and {} has '{}': rename one of them", added.library,
                          row.name, owner, present.name);
  }
  if (name.starts_with(other + ".") || other.starts_with(name + ".")) {
    return already_exists(
        "'{}' has an operator '{}', and {} has '{}': a name cannot be an operator and a folder of operators",
        added.library, row.name, owner, present.name);
  }
  return ok_status();
}

Status check_against(const AddedOperators& added, const std::string& library,
                     const std::vector<OperatorSpec>& present) {
  for (const OperatorSpec& row : added.rows) {
    for (const OperatorSpec& other : present) {
      FOREBAY_RETURN_IF_ERROR(check_pair(added, row, library, other));
    }
  }
  return ok_status();
}

Status check_among_themselves(const AddedOperators& added) {
  for (size_t i = 0; i < added.rows.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      FOREBAY_RETURN_IF_ERROR(check_pair(added, added.rows[i], added.library, added.rows[j]));
    }
  }
  return ok_status();
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_') {
      folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return folded;
}

Result<bool> add_operators(AddedOperators added) {
  FOREBAY_RETURN_IF_ERROR(check_among_themselves(added));
  FOREBAY_RETURN_IF_ERROR(check_against(added, "", all_operators()));
  auto link = std::make_unique<Link>(Link{std::move(added), nullptr});
  const Link* newest = newest_link.load(std::memory_order_acquire);
  do {
    if (has_origin(newest, link->added.origin)) {
      return false;
    }
    for (const Link* older = newest; older != nullptr; older = older->older) {
      FOREBAY_RETURN_IF_ERROR(check_against(link->added, older->added.library, older->added.rows));
    }
    link->older = newest;
  } while (!newest_link.compare_exchange_weak(newest, link.get(), std::memory_order_acq_rel));
  link.release();
  return true;
}

bool has_operators_of(const void* origin) {
  return has_origin(newest_link.load(std::memory_order_acquire), origin);
}

std::string library_of(std::string_view name) {
  for (const Link* link = newest_link.load(std::memory_order_acquire); link != nullptr; link = link->older) {
    if (std::ranges::find(link->added.rows, name, &OperatorSpec::name) != link->added.rows.end()) {
      return link->added.library;
    }
  }
  return {};
}

std::vector<const AddedOperators*> added_operators() {
  std::vector<const AddedOperators*> libraries;
  for (const Link* link = newest_link.load(std::memory_order_acquire); link != nullptr; link = link->older) {
    libraries.push_back(&link->added);
  }
  std::ranges::reverse(libraries);
  return libraries;
}

}  // namespace forebay::operators
