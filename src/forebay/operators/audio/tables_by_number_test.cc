// Tables by a number: each is made once while there is room, and what is made is counted.
#include "forebay/operators/audio/tables_by_number.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "forebay/kernels/signal/fft.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using NumberTables = TablesByNumber<int64_t>;

/// Has no memory left.
class FullServices final : public SampleServices {
 public:
  Result<Tensor> allocate_output(int, const TensorSpec&) override { return refusal(); }
  Result<MutableBytes> scratch(size_t) override { return refusal(); }
  Status reserve(size_t) override { return refusal(); }
  void parallel_for(int64_t, const std::function<void(int64_t)>&) override {}

 private:
  static Status refusal() { return resource_exhausted("nothing is left"); }
};

struct Asking {
  NumberTables tables;
  HostServices services;
  int made = 0;

  /// Whether the table of `number` could be used, and was its.
  bool ask(int64_t number, int64_t bytes) { return ask(number, bytes, services); }
  bool ask(int64_t number, int64_t bytes, SampleServices& from) {
    bool is_right = false;
    const Status status = tables.with(
        from, number, bytes,
        [&] {
          ++made;
          return number * 10;
        },
        [&](int64_t table) {
          is_right = table == number * 10;
          return ok_status();
        });
    return status.ok() && is_right;
  }
};

/// Many lengths, of which some begin their search at the same place.
std::vector<int64_t> many_numbers() {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 40; ++i) {
    numbers.push_back(1000 + i * (i % 2 == 0 ? 64 : 7));
  }
  return numbers;
}

TEST(TablesByNumber, AreMadeOnceWhileLengthsComeAgain) {
  Asking asking;
  for (int round = 0; round < 3; ++round) {
    for (const int64_t number : many_numbers()) {
      EXPECT_TRUE(asking.ask(number, 100));
    }
    EXPECT_EQ(asking.made, 40);
    EXPECT_EQ(asking.services.reserved_bytes(), 40U * 100);
  }
}

TEST(TablesByNumber, BeyondTheRoomAreMadeAndCountedForEachSample) {
  Asking asking;
  const int64_t large = NumberTables::kMaxKeptBytes / 2 + 1;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(asking.ask(1, large));
    EXPECT_TRUE(asking.ask(2, large));
    EXPECT_TRUE(asking.ask(3, 100));
  }
  EXPECT_EQ(asking.made, 1 + 3 + 1);
  EXPECT_EQ(asking.services.reserved_bytes(), static_cast<size_t>(4 * large + 100));
}

TEST(TablesByNumber, BeyondTheirNumberAreMadeForEachSample) {
  Asking asking;
  const auto most = static_cast<int64_t>(NumberTables::kMaxNumbers);
  for (int round = 0; round < 2; ++round) {
    for (int64_t number = 0; number < most + 3; ++number) {
      EXPECT_TRUE(asking.ask(number, 8));
    }
  }
  EXPECT_EQ(asking.made, most + 2 * 3);
}

TEST(TablesByNumber, ThatAreRefusedAreNotMade) {
  Asking asking;
  FullServices full;
  EXPECT_FALSE(asking.ask(5, 100, full));
  EXPECT_EQ(asking.made, 0);
  EXPECT_TRUE(asking.ask(5, 100));
  EXPECT_TRUE(asking.ask(5, 100, full)) << "it is there by now";
}

TEST(TablesByNumber, AreTheirNumbersFromManyThreads) {
  NumberTables tables;
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      HostServices services;
      for (const int64_t number : many_numbers()) {
        const Status status = tables.with(
            services, number, 100, [&] { return number * 10; },
            [&](int64_t table) {
              right[t] += table == number * 10 ? 1 : 0;
              return ok_status();
            });
        EXPECT_EQ(status, ok_status());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, std::vector<int>(4, 40));
}

TEST(TablesByNumber, OfOperatorsAreCounted) {
  for (const auto& [name, bytes] :
       {std::pair("power_spectrum", kernels::RealFft::table_bytes(997)),
        std::pair("mfcc", int64_t{20 * 997 * 4}), std::pair("mel_filter_bank", int64_t{997 * 4})}) {
    const auto made = make_operator(name, {}, 1);
    ASSERT_TRUE(made.ok()) << made.status();
    SampleFrame first(name, {counted<float>({997})}, {}, 1);
    SampleFrame second(name, {counted<float>({997})}, {}, 1);
    EXPECT_EQ((*made)->run(first.sample()), ok_status());
    EXPECT_EQ((*made)->run(second.sample()), ok_status());
    EXPECT_GE(first.services().reserved_bytes(), static_cast<size_t>(bytes)) << name;
    EXPECT_EQ(second.services().reserved_bytes(), 0U) << name;
  }
}

}  // namespace
}  // namespace forebay::operators::testing
