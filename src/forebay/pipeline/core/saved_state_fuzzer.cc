#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/order/order.h"
#include "forebay/pipeline/core/saved_state.h"
#include "forebay/pipeline/testing/fed_plan.h"

// What is read is written so that it reads the same, and an order takes or refuses where it begins.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay;
  static const auto plan = pipeline::fed_plan();
  const auto state = pipeline::parse_state({reinterpret_cast<const char*>(data), size}, *plan);
  if (!state.ok()) {
    return 0;
  }
  const auto again = pipeline::parse_state(pipeline::text_of(*state, *plan), *plan);
  FOREBAY_CHECK(again.ok() && again->begin == state->begin && again->position.read == state->position.read);
  const auto order = dataset::Order::create({.dataset_size = 1000, .num_shards = 3, .begin = state->begin});
  if (order.ok()) {
    const auto read = static_cast<uint64_t>(state->position.read % 10'000);
    FOREBAY_CHECK(order->find(order->at(read).epoch, order->at(read).position) == read);
    const auto left = order->left_behind(std::vector<uint64_t>{read, 0, 7});
    FOREBAY_CHECK(dataset::Order::create({.dataset_size = 1000, .begin = left}).ok());
  }
  return 0;
}
