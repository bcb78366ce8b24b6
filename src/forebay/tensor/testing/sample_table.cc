#include "forebay/tensor/testing/sample_table.h"

#include <random>
#include <string>

#include "forebay/tensor/columns/column_builder.h"

namespace forebay::tensor::testing {
namespace {

using Random = std::minstd_rand;

Column finish(ColumnBuilder builder) {
  Result<Column> column = builder.finish();
  FOREBAY_CHECK(column.ok());
  return *std::move(column);
}

std::string word(Random& random) {
  return std::string(random() % 9, static_cast<char>('a' + random() % 26)) +
         (random() % 4 == 0 ? "\xC3\xA9" : "");
}

// Appends a random value or null of any type.
void append_any(ColumnBuilder& builder, Random& random) {
  const ColumnType& type = *builder.type();
  if (random() % 3 == 0) {
    builder.append_null();
    return;
  }
  switch (type.layout()) {
    case ColumnLayout::kBits:
      return builder.append_bool(random() % 2 == 0);
    case ColumnLayout::kText:
      return builder.append_text(word(random));
    case ColumnLayout::kFixed:
      return builder.append_text(type.id == TypeId::kDictionary ? word(random)
                                                                : std::string(type.value_width(), 'z'));
    case ColumnLayout::kList:
    case ColumnLayout::kFixedList:
      for (int64_t left = type.list_size > 0 ? type.list_size : random() % 4; left > 0; --left) {
        append_any(builder.child(), random);
      }
      return builder.close_row();
    case ColumnLayout::kStruct:
      for (size_t i = 0; i < type.children.size(); ++i) {
        append_any(builder.child(static_cast<int>(i)), random);
      }
      return builder.close_row();
    default:
      return builder.append_null();
  }
}

Column any_column(const ColumnTypeRef& type, int64_t rows, Random& random) {
  ColumnBuilder builder(type);
  for (int64_t row = 0; row < rows; ++row) {
    append_any(builder, random);
  }
  return finish(std::move(builder));
}

template <class T>
Column numbers(const ColumnTypeRef& type, int64_t rows, Random& random) {
  ColumnBuilder builder(type);
  for (int64_t row = 0; row < rows; ++row) {
    random() % 3 == 0 ? builder.append_null() : builder.append(static_cast<T>(random()));
  }
  return finish(std::move(builder));
}

Column tensors(int64_t rows) {
  Result<Tensor> tensor = Tensor::allocate({Shape{rows, 2, 3}, DType::kFloat, {}});
  for (int64_t i = 0; i < rows * 6; ++i) {
    static_cast<float*>(tensor->mutable_data())[i] = static_cast<float>(i);
  }
  return *column_of(*tensor);
}

}  // namespace

Table sample_table(int64_t rows, uint32_t seed) {
  Random random(seed + 1);
  const ColumnTypeRef text = column_type(TypeId::kUtf8);
  const ColumnTypeRef nested =
      list_type(struct_type({{"flag", column_type(TypeId::kBool), true, {}},
                             {"names", large_list_type(text), true, {}},
                             {"pair", fixed_size_list_type(fixed_binary_type(3), 2), true, {}}}));
  Result<Table> columns =
      Table::of({{"int32", numbers<int32_t>(column_type(TypeId::kInt32), rows, random)},
                 {"int64", numbers<int64_t>(column_type(TypeId::kInt64), rows, random)},
                 {"uint8", numbers<uint8_t>(column_type(TypeId::kUint8), rows, random)},
                 {"when", numbers<int64_t>(timestamp_type(TimeUnit::kMicro, "UTC"), rows, random)},
                 {"bool", any_column(column_type(TypeId::kBool), rows, random)},
                 {"text", any_column(text, rows, random)},
                 {"large", any_column(column_type(TypeId::kLargeBinary), rows, random)},
                 {"word", any_column(dictionary_type(TypeId::kInt16, text), rows, random)},
                 {"nested", any_column(nested, rows, random)},
                 {"tensor", tensors(rows)},
                 {"nothing", any_column(column_type(TypeId::kNull), rows, random)}});
  FOREBAY_CHECK(columns.ok());
  std::vector<Field> fields = columns->fields();
  fields[0].metadata = {{"unit", "metre"}};
  Result<Table> table = Table::make(fields, columns->columns(), rows, {{"made by", "sample_table"}});
  FOREBAY_CHECK(table.ok());
  return *std::move(table);
}

}  // namespace forebay::tensor::testing
