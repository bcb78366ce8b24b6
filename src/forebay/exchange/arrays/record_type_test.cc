#include "forebay/exchange/arrays/record_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::exchange {
namespace {

using tensor::DType;
using tensor::RecordLayout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(std::string_view format, int64_t item_bytes) {
  const auto type = parse_record_format(format, item_bytes);
  return type.ok() ? "" : std::string(message(type.status()));
}

std::vector<int64_t> offsets_of(const RecordType& type) {
  std::vector<int64_t> offsets;
  for (const RecordMember& member : type.members) {
    offsets.push_back(member.offset_bytes);
  }
  return offsets;
}

TEST(RecordTypeTest, MembersLieWhereTheFormatPutsThem) {
  const RecordTypeRef packed = *parse_record_format("T{B:tag:=d:value:(2,3)h:grid:}", 21);
  EXPECT_THAT(offsets_of(*packed), ElementsAre(0, 1, 9));
  EXPECT_EQ(packed->find("value")->type, (dlpack::DataType{dlpack::kFloat, 64, 1}));
  EXPECT_THAT(packed->find("grid")->shape, ElementsAre(2, 3));
  EXPECT_THAT(packed->find("grid")->strides_bytes, ElementsAre(6, 2));
  EXPECT_EQ(packed->find("none"), nullptr);
  const RecordTypeRef padded = *parse_record_format("T{=B:a:xxxf:b:4x}", 12);
  EXPECT_THAT(offsets_of(*padded), ElementsAre(0, 4));
  EXPECT_THAT((*parse_record_format("T{<h:c:(3)<f:d:}", 14))->find("d")->shape, ElementsAre(3));
}

TEST(RecordTypeTest, NativeFormatsAreAlignedAsACompilerWould) {
  struct Inner {
    char a;
    double b;
  };
  struct Outer {
    char c;
    Inner inner;
    short d;
  };
  const RecordTypeRef type = *parse_record_format("T{b:c:T{b:a:d:b:}:inner:h:d:}", sizeof(Outer));
  EXPECT_THAT(offsets_of(*type),
              ElementsAre(offsetof(Outer, c), offsetof(Outer, inner),
                          offsetof(Outer, inner) + offsetof(Inner, b), offsetof(Outer, d)));
  EXPECT_EQ(type->members[2].name, "inner.b");
  EXPECT_TRUE(parse_record_format("T{d:b:b:a:}", 9).ok());  // without padding at the end
  EXPECT_THAT(offsets_of(**parse_record_format("T{^b:a:l:b:}", 9)), ElementsAre(0, 1));
}

TEST(RecordTypeTest, ArraysOfRecordsAndText) {
  const RecordTypeRef type = *parse_record_format("T{(3)T{=i:x:(2)f:y:}:points:5s:name:2w:wide:Zf:z:}", 57);
  EXPECT_THAT(type->find("points.x")->shape, ElementsAre(3));
  EXPECT_THAT(type->find("points.x")->strides_bytes, ElementsAre(12));
  EXPECT_THAT(type->find("points.y")->shape, ElementsAre(3, 2));
  EXPECT_THAT(type->find("points.y")->strides_bytes, ElementsAre(12, 4));
  EXPECT_THAT(type->find("name")->shape, ElementsAre(5));
  EXPECT_EQ(type->find("wide")->type, (dlpack::DataType{dlpack::kUInt, 32, 1}));
  EXPECT_EQ(type->find("z")->type, (dlpack::DataType{dlpack::kComplex, 64, 1}));
  EXPECT_THAT(std::string(message(record_layout_of(*type).status())), HasSubstr("points.x"));
}

TEST(RecordTypeTest, PaddingThatIsMissingAtTheEndIsWritten) {
  EXPECT_EQ((*parse_record_format("T{xxxxf:x:}", 12))->format, "T{xxxxf:x:4x}");
  EXPECT_EQ((*parse_record_format("T{d:x:b:y:}", 16))->format, "T{d:x:b:y:}");
  EXPECT_THAT(error_of("T{i:a:}", (int64_t{1} << 20) + 1), HasSubstr("1048576 bytes"));
}

TEST(RecordTypeTest, UnnamedMembersAreCounted) {
  const RecordTypeRef type = *parse_record_format("T{=if3h}", 14);
  EXPECT_EQ(type->members[1].name, "f1");
  EXPECT_THAT(type->find("f2")->shape, ElementsAre(3));
}

TEST(RecordTypeTest, BrokenFormatsSayWhatIsWrong) {
  EXPECT_THAT(error_of("T{i:a:", 4), HasSubstr("ends within a record"));
  EXPECT_THAT(error_of("T{i:a", 4), HasSubstr("a name ends with ':'"));
  EXPECT_THAT(error_of("T{i::}", 4), HasSubstr("a name is empty"));
  EXPECT_THAT(error_of("T{i:a:}}", 4), HasSubstr("something follows"));
  EXPECT_THAT(error_of("T{(2i:a:}", 4), HasSubstr("ends with ')'"));
  EXPECT_THAT(error_of("T{()i:a:}", 4), HasSubstr("a number is missing"));
  EXPECT_THAT(error_of("T{(2,)i:a:}", 4), HasSubstr("a number is missing"));
  EXPECT_THAT(error_of("T{T:a:}", 4), HasSubstr("begins with 'T{'"));
  EXPECT_THAT(error_of("T{y:a:}", 4), HasSubstr("at character 2: there is no such type"));
  EXPECT_THAT(error_of("T{i:a:}", 3), HasSubstr("describes 4 bytes, but the records have 3"));
  EXPECT_THAT(error_of("T{<i:a:}", 8), HasSubstr("describes 4 bytes, but the records have 8"));
  EXPECT_THAT(error_of("T{=i:a:i:a:}", 8), HasSubstr("two members"));
  EXPECT_THAT(error_of("T{4x}", 4), HasSubstr("0 members"));
  EXPECT_THAT(error_of("T{}", 0), HasSubstr("0 members"));
}

TEST(RecordTypeTest, WhatIsNotTakenIsNamed) {
  EXPECT_THAT(error_of("T{O:a:}", 8), HasSubstr("Python objects"));
  EXPECT_THAT(error_of("T{&i:a:}", 8), HasSubstr("pointers"));
  EXPECT_THAT(error_of("T{X{}:a:}", 8), HasSubstr("pointers"));
  EXPECT_THAT(error_of("T{3t:a:}", 8), HasSubstr("bit fields"));
  EXPECT_THAT(error_of("T{g:a:}", 16), HasSubstr("more than 8 bytes"));
  EXPECT_THAT(error_of("T{>i:a:}", 4), HasSubstr("byte order"));
  EXPECT_THAT(error_of("T{!h:a:}", 2), HasSubstr("byte order"));
  EXPECT_THAT(error_of("T{=n:a:}", 8), HasSubstr("no size"));
  EXPECT_EQ(error_of("T{>B:a:}", 1), "");
}

TEST(RecordTypeTest, LimitsHold) {
  std::string nested;
  for (int depth = 0; depth <= kMaxRecordDepth; ++depth) {
    nested += "T{";
  }
  EXPECT_THAT(error_of(nested, 4), HasSubstr("deep"));
  EXPECT_THAT(error_of("T{999999999999i:a:}", 4), HasSubstr("a number is above"));
  EXPECT_THAT(error_of("T{(1000000,1000000)d:a:}", 4), HasSubstr("at most"));
  EXPECT_THAT(error_of("T{(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)d:a:}", 8), HasSubstr("dimensions"));
  std::string many = "T{=";
  for (int64_t index = 0; index <= tensor::kMaxRecordFields; ++index) {
    many += "b";
  }
  EXPECT_THAT(error_of(many + "}", tensor::kMaxRecordFields + 1), HasSubstr("members"));
  EXPECT_THAT(error_of("T{" + std::string(kMaxFormatBytes, ' ') + "}", 4), HasSubstr("characters"));
}

TEST(RecordTypeTest, LayoutsBecomeFormatsAndBack) {
  const RecordLayout layout = *RecordLayout::make(
      {{"v", DType::kFloat, 3, 8}, {"tag", DType::kUint8, 1, 0}, {"n", DType::kInt64, 1, 20}}, 32);
  const RecordTypeRef type = *record_type_of(layout);
  EXPECT_EQ(type->format, "T{=B:tag:7x(3)f:v:q:n:4x}");
  const RecordLayout back = *record_layout_of(*type);
  EXPECT_EQ(back.stride_bytes(), 32);
  EXPECT_EQ(back.fields()[back.find("v")], layout.fields()[0]);
  EXPECT_EQ(record_type_of(*RecordLayout::packed({{"a:b", DType::kInt8}})).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(RecordTypeTest, MembersOfArraysShareTheMemory) {
  std::array<std::byte, 24> memory{};
  StridedArray records;
  records.owner = memory::Buffer::wrap(memory.data(), memory.size(), memory::MemoryKind::kHost, [] {});
  records.record = *parse_record_format("T{=i:a:(2)i:b:}", 12);
  records.type = kRecordElement;
  records.data = memory.data();
  records.shape = {2};
  records.strides_bytes = {12};
  ASSERT_TRUE(check_array(records).ok());
  EXPECT_EQ(records.size_bytes(), 24);
  EXPECT_TRUE(records.is_dense());
  EXPECT_EQ(element_name(records), "record");
  const StridedArray member = *member_of(records, "b");
  EXPECT_EQ(member.data, memory.data() + 4);
  EXPECT_THAT(member.shape, ElementsAre(2, 2));
  EXPECT_THAT(member.strides_bytes, ElementsAre(12, 4));
  EXPECT_EQ(element_name(member), "int32");
  EXPECT_EQ(member_of(records, "c").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(member_of(member, "c").status().code(), StatusCode::kNotFound);
  const StridedArray copy = *copied(records);
  EXPECT_EQ(copy.record, records.record);
  EXPECT_THAT(std::string(message(to_dlpack_versioned(records).status())), HasSubstr("no records"));
  EXPECT_THAT(std::string(message(to_dlpack(records).status())), HasSubstr("no records"));
  EXPECT_THAT(std::string(message(tensor_of(records, true).status())), HasSubstr("cannot become a tensor"));
}

}  // namespace
}  // namespace forebay::exchange
