// The meaning of a random program: its tasks one after the other in push order. Compares what happened on an
// engine with that.
#pragma once

#include <string>
#include <vector>

#include "forebay/engine/testing/history.h"

namespace forebay::engine::testing {

/// The pushed tasks ordered by the tickets of their pushes. That is the push order if one thread pushed all
/// of them.
std::vector<int> order_of_pushes(const History& history);

/// Everything in `history` that a serial run of `order` cannot explain, one line each: wrong values read,
/// wrong errors, tasks lost, run twice or run on a value that carries an error, waits that ended too early or
/// with another error.
std::vector<std::string> find_differences(const History& history, const std::vector<int>& order);

}  // namespace forebay::engine::testing
