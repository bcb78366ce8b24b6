#include "forebay/pipeline/argument.h"

#include <gtest/gtest.h>

namespace forebay::pipeline {
namespace {

using operators::ImageType;
using operators::InterpType;
using Kind = operators::ArgumentKind;
using tensor::DType;

using Sizes = ArgumentOf<Kind::kFloatList, kOrTensor>;
using Flag = ArgumentOf<Kind::kBool>;
using Type = ArgumentOf<Kind::kDType>;
using Names = ArgumentOf<Kind::kStringList>;
using Count = ArgumentOf<Kind::kInt>;
using Numbers = ArgumentOf<Kind::kIntList>;

// What is of another kind does not compile.
static_assert(!std::is_constructible_v<Sizes, const char*>);
static_assert(!std::is_constructible_v<Sizes, std::vector<std::string>>);
static_assert(!std::is_constructible_v<Sizes, std::initializer_list<const char*>>);
static_assert(!std::is_constructible_v<Flag, DataNode>);
static_assert(!std::is_constructible_v<Flag, const char*>);
static_assert(!std::is_constructible_v<Count, double>);
static_assert(!std::is_constructible_v<Count, std::vector<int64_t>>);
static_assert(!std::is_constructible_v<Count, DType>);
static_assert(!std::is_constructible_v<Numbers, InterpType>);
static_assert(!std::is_constructible_v<Sizes, DType>);
static_assert(!std::is_constructible_v<Type, int>);
static_assert(!std::is_constructible_v<Type, InterpType>);
static_assert(!std::is_constructible_v<ArgumentOf<Kind::kInterpType>, ImageType>);
static_assert(!std::is_constructible_v<Names, int>);
static_assert(!std::is_constructible_v<ArgumentOf<Kind::kString>, std::vector<std::string>>);

template <class T>
T value_of(const auto& argument) {
  const T* const value = std::get_if<T>(&argument.untyped().value());
  EXPECT_NE(value, nullptr);
  return value == nullptr ? T() : *value;
}

TEST(ArgumentOf, TakesConstantsOfItsKind) {
  EXPECT_EQ(value_of<std::vector<double>>(Sizes({1.5, 2.5})), std::vector<double>({1.5, 2.5}));
  EXPECT_EQ(value_of<std::vector<int64_t>>(Sizes({224, 224})), std::vector<int64_t>({224, 224}));
  EXPECT_EQ(value_of<std::vector<double>>(Sizes(std::vector<float>{0.5f})), std::vector<double>({0.5}));
  EXPECT_EQ(value_of<double>(Sizes(0.5f)), 0.5);
  EXPECT_EQ(value_of<bool>(Flag(true)), true);
  EXPECT_EQ(value_of<int64_t>(Count(uint64_t{7})), 7);
  EXPECT_EQ(value_of<int64_t>(Type(DType::kFloat)), static_cast<int64_t>(DType::kFloat));
  EXPECT_EQ(value_of<std::vector<std::string>>(Names({"a", "b"})), std::vector<std::string>({"a", "b"}));
  EXPECT_EQ(value_of<std::string>(Names(std::string_view("a"))), "a");
}

TEST(ArgumentOf, TakesListsOfElementTypes) {
  struct Given {
    Numbers dtypes = {};
  };
  const std::vector<int64_t> wanted = {static_cast<int64_t>(DType::kFloat),
                                       static_cast<int64_t>(DType::kInt64)};
  EXPECT_EQ(value_of<std::vector<int64_t>>(Given{.dtypes = {DType::kFloat, DType::kInt64}}.dtypes), wanted);
  EXPECT_EQ(value_of<std::vector<int64_t>>(Numbers(std::vector{DType::kFloat, DType::kInt64})), wanted);
  EXPECT_EQ(value_of<std::vector<int64_t>>(Given{.dtypes = {DType::kFloat}}.dtypes),
            std::vector(1, wanted[0]));
  EXPECT_EQ(value_of<int64_t>(Given{.dtypes = DType::kFloat}.dtypes), wanted[0]);
}

TEST(ArgumentOf, TakesATensorOrNothing) {
  EXPECT_TRUE(Sizes(DataNode()).untyped().is_node());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Sizes().untyped().value()));
}

}  // namespace
}  // namespace forebay::pipeline
