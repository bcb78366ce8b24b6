// Orders that tests make of options which are known to be valid.
#pragma once

#include <gtest/gtest.h>

#include "forebay/dataset/order/order.h"

namespace forebay::dataset::testing {

inline Order order_with(const OrderOptions& options) {
  Result<Order> order = Order::create(options);
  EXPECT_TRUE(order.ok()) << order.status();
  return *order;
}

}  // namespace forebay::dataset::testing
