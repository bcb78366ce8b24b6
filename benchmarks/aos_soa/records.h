// What the C++ contenders of this task share: the records of a row, the columns they go to, the clock.
#pragma once

#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "forebay/memory/buffer.h"
#include "forebay/memory/host/huge_page_resource.h"
#include "forebay/tensor/records/convert_records.h"
#include "harness/contender.h"

namespace records {

using namespace forebay;

constexpr int64_t kChecked = 10000;  // records of a check

// Fields as NumPy names them: "f4 f8 u1x3".
inline tensor::RecordLayout layout_of(const contender::Task& task) {
  static const std::map<std::string, tensor::DType> kTypes = {
      {"u1", tensor::DType::kUint8}, {"i2", tensor::DType::kInt16}, {"i4", tensor::DType::kInt32},
      {"i8", tensor::DType::kInt64}, {"f4", tensor::DType::kFloat}, {"f8", tensor::DType::kFloat64}};
  std::vector<tensor::RecordField> fields;
  std::istringstream words(task.text.at("fields"));
  for (std::string word; words >> word;) {
    const size_t times = word.find('x');
    const int64_t count = times == std::string::npos ? 1 : std::stoll(word.substr(times + 1));
    fields.push_back({"f" + std::to_string(fields.size()), kTypes.at(word.substr(0, times)), count});
  }
  const bool is_aligned = task.number.count("aligned") != 0 && task.number.at("aligned") != 0;
  return *(is_aligned ? tensor::RecordLayout::aligned(fields) : tensor::RecordLayout::packed(fields));
}

// Records and room for their columns, both on pages of 2 MiB, both touched.
struct Work {
  tensor::RecordLayout layout;
  int64_t count;
  memory::BufferRef records;
  memory::BufferRef columns;
  std::vector<MutableBytes> parts;  // of `columns`, one a field

  size_t bytes() const { return records->size_bytes(); }

  explicit Work(const contender::Task& task) : layout(layout_of(task)) {
    const double mib = task.number.at("mib");
    count = task.check.empty() ? static_cast<int64_t>(mib * (1 << 20)) / layout.stride_bytes() / 64 * 64
                               : kChecked;
    const tensor::ColumnPlaces places = *tensor::place_columns(layout, count);
    const size_t record_bytes = count * layout.stride_bytes();
    records = *memory::Buffer::allocate(record_bytes, memory::huge_page_resource());
    columns = *memory::Buffer::allocate(std::max<size_t>(places.total_bytes, record_bytes),
                                        memory::huge_page_resource());
    std::fill(columns->mutable_bytes().begin(), columns->mutable_bytes().end(), std::byte{1});
    for (int i = 0; i < layout.field_count(); ++i) {
      parts.push_back(
          columns->mutable_bytes().subspan(places.offsets_bytes[i], count * layout.fields()[i].size_bytes()));
      fill(i);
    }
  }

  // Element `e` of field `field` of record `r` is (31 r + 7 field + e) % 100, as in numpy_copyto.py.
  void fill(int field) {
    const tensor::RecordField& described = layout.fields()[field];
    tensor::visit_dtype(described.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t record = 0; record < count; ++record) {
        std::byte* at =
            records->mutable_bytes().data() + record * layout.stride_bytes() + described.offset_bytes;
        for (int64_t element = 0; element < described.count; ++element, at += sizeof(T)) {
          const T value = static_cast<T>(static_cast<float>((31 * record + 7 * field + element) % 100));
          std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof(T), at);
        }
      }
    });
  }

  // Every column's values, behind each other.
  std::vector<float> values() const {
    std::vector<float> all;
    for (int field = 0; field < layout.field_count(); ++field) {
      tensor::visit_dtype(layout.fields()[field].dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto* const from = reinterpret_cast<const T*>(parts[field].data());
        for (size_t i = 0; i < parts[field].size() / sizeof(T); ++i) {
          all.push_back(static_cast<float>(from[i]));
        }
      });
    }
    return all;
  }
};

inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Seconds of one pass: the best of those that fit into `seconds`, at least three.
inline double best_pass(double seconds, const std::function<void()>& pass) {
  double best = 1e30;
  double spent = 0;
  for (int passes = 0; passes < 3 || spent < seconds; ++passes) {
    const double begun = cpu_seconds();
    pass();
    const double taken = cpu_seconds() - begun;
    best = std::min(best, taken);
    spent += taken;
  }
  return best;
}

// Measures `pass` in bytes of records moved a second, or leaves the columns it fills where it is checked.
inline int run(int argc, char** argv, const std::string& library, const std::string& version,
               bool fills_columns,
               const std::function<std::function<void()>(const contender::Task&, Work&)>& prepare) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{library, version}};
  if (task.number.count("pays") != 0) {
    contender::decline(task, versions);
    return 0;
  }
  Work work(task);
  const std::function<void()> pass = prepare(task, work);
  if (pass == nullptr) {
    contender::decline(task, versions);
  } else if (task.check.empty()) {
    const double seconds = best_pass(task.seconds, pass);
    contender::report(task, versions,
                      {{"gb_per_cpu_second", static_cast<double>(work.bytes()) * 1e-9 / seconds}});
  } else if (fills_columns) {
    pass();
    const std::vector<float> values = work.values();
    contender::save(task, versions, values, {static_cast<int64_t>(values.size())});
  } else {
    contender::report(task, versions, {});
  }
  return 0;
}

}  // namespace records
