// The published model against the clock: from how many passes on converting pays, for loops that sum some
// fields of many records.
#include <array>
#include <utility>

#include "aos_soa/records.h"
#include "forebay/tensor/records/conversion_cost.h"

namespace {

using namespace forebay;

volatile float kept;  // so that sums are made

// The fields of a loop are known when it is compiled, as in real ones.
template <size_t... field>
void sum_records(const std::byte* records, int64_t stride, int64_t count, std::index_sequence<field...>) {
  std::array<float, sizeof...(field)> sums{};
  for (int64_t i = 0; i < count; ++i) {
    const auto* const record = reinterpret_cast<const float*>(records + i * stride);
    ((sums[field] += record[field]), ...);
  }
  kept = (sums[field] + ...);
}

// Eight partial sums: what a compiler may make of a loop over a column, were the order of additions free.
void sum_column(const MutableBytes& column) {
  constexpr int kLanes = 32;
  const auto* const values = reinterpret_cast<const float*>(column.data());
  std::array<float, kLanes> sums{};
  for (size_t i = 0; i + kLanes <= column.size() / sizeof(float); i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[lane] += values[i + lane];
    }
  }
  kept = sums[0] + sums[kLanes - 1];
}

void sum_used(const records::Work& work, int used) {
  const std::byte* const bytes = work.records->bytes().data();
  const int64_t stride = work.layout.stride_bytes();
  if (used == 1) {
    sum_records(bytes, stride, work.count, std::make_index_sequence<1>());
  } else if (used == 2) {
    sum_records(bytes, stride, work.count, std::make_index_sequence<2>());
  } else {
    sum_records(bytes, stride, work.count, std::make_index_sequence<4>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{"forebay", FOREBAY_VERSION}};
  if (task.number.count("pays") == 0 || !task.check.empty()) {
    contender::decline(task, versions);
    return 0;
  }
  records::Work work(task);
  const int used = static_cast<int>(task.number.at("used"));
  std::vector<MutableBytes> wanted(work.parts.size());
  std::vector<int> fields;
  for (int i = 0; i < used; ++i) {
    wanted[i] = work.parts[i];
    fields.push_back(i);
  }
  const double each = task.seconds / 3;
  const double over_records = records::best_pass(each, [&] { sum_used(work, used); });
  const double over_columns = records::best_pass(each, [&] {
    for (const int field : fields) {
      sum_column(work.parts[field]);
    }
  });
  const double converting = records::best_pass(
      each, [&] { (void)tensor::split_records(work.layout, work.records->bytes(), wanted); });
  const auto predicted = tensor::estimate_conversion(work.layout, {.fields = fields});
  const double count = static_cast<double>(work.count);
  const double saved = over_records - over_columns;
  contender::report(task, versions,
                    {{"measured_passes", saved > 0 ? converting / saved : 1e9},
                     {"predicted_passes", predicted.break_even_passes},
                     {"records_ns", over_records / count * 1e9},
                     {"columns_ns", over_columns / count * 1e9},
                     {"convert_ns", converting / count * 1e9}});
  return 0;
}
