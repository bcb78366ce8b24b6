// A library's table, read with nothing taken on trust: it may be of another version, another compiler,
// another author's first attempt.
#pragma once

#include <string>
#include <vector>

#include "forebay/operators/operator.h"
#include "forebay/plugin/plugin_api.h"

namespace forebay::plugin {

/// The operators of the table as rows of the operator table. invalid_argument, with the library's and the
/// operator's name, for sizes of another version, missing pointers and functions, counts out of range, names
/// that no function of Python can have, the same name twice, defaults that do not fit, text that is not
/// UTF-8. `file_name` is what errors call the library.
Result<std::vector<operators::OperatorSpec>> read_library(const ForebayPluginLibrary* library,
                                                          const std::string& file_name);

}  // namespace forebay::plugin
