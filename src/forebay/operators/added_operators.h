// Operators that libraries of users add to the table while the process runs, beside Forebay's own, which
// all_operators() has. They are added for good: graphs, plans and sessions keep pointers to rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/operators/operator.h"

namespace forebay::operators {

/// The operators of a library.
struct AddedOperators {
  std::string library;           // the file's name, for errors and saved graphs
  const void* origin = nullptr;  // tells the library from all others
  std::vector<OperatorSpec> rows;
};

/// Adds all rows of a library or none, so that find_operator() finds them. False if rows with that origin are
/// there already. already_exists, with both libraries, for a name that is taken. Two names are the same if
/// they differ in capitals and underscores alone, because their classes in `ops` would be; and none is both
/// an operator and a folder of operators. Thread safe, lock-free; usable after fork().
Result<bool> add_operators(AddedOperators added);

/// Whether rows with that origin are there.
bool has_operators_of(const void* origin);

/// The library that has added the operator with that name; empty for Forebay's own and for none.
std::string library_of(std::string_view name);

/// All libraries, in the order of adding.
std::vector<const AddedOperators*> added_operators();

/// "readers.file" for "Readers.File_": the name without capitals and underscores.
std::string folded_name(std::string_view name);

}  // namespace forebay::operators
