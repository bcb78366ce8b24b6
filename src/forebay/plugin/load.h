// Loading libraries of operators.
//
//   FOREBAY_RETURN_IF_ERROR(forebay::plugin::load_operators("./libmy_lab.so"));
//   auto blended = pipe.add("my_lab.blend", {a, b}, {{"weight", 0.25}});
#pragma once

#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::plugin {

struct LoadOptions {
  bool global_symbols = false;              // whether libraries loaded later may use its symbols
  std::vector<std::string> reserved_names;  // first parts of names that no operator may have
};

/// Loads a shared library and adds its operators to the operator table, all or none. Thread safe; usable
/// after fork(). A library stays loaded until the process ends. One that is loaded already is left as it is.
///
/// `path` goes to dlopen(): one without `/` is looked for where the system keeps libraries.
///
/// Errors, all with the path: not_found if there is no such file; failed_precondition for a file that is no
/// library or cannot be loaded, has no operators of Forebay, or was made for another version of the ABI;
/// invalid_argument for a table that breaks a rule (read_library.h); already_exists for a name that is taken.
Status load_operators(const std::string& path, const LoadOptions& options = {});

}  // namespace forebay::plugin
