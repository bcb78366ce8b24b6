// What a random program means: its tasks one after the other in the order in which they were pushed. Holds
// what happened on an engine against that.
#pragma once

#include <string>
#include <vector>

#include "forebay/engine/testing/history.h"

namespace forebay::engine::testing {

/// The pushed tasks by the tickets of their pushes: their order where one thread did all of them.
std::vector<int> order_of_pushes(const History& history);

/// Everything in `history` that a serial run of `order` cannot explain, a line each: values read, errors
/// carried, tasks lost, run twice or run on a value that carries an error, waits that ended too early or with
/// another error.
std::vector<std::string> find_differences(const History& history, const std::vector<int>& order);

}  // namespace forebay::engine::testing
