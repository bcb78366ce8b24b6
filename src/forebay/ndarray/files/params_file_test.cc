#include "forebay/ndarray/files/params_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

using testing::array_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::values_of;

/// A file assembled number by number.
class Bytewise {
 public:
  template <class T>
  Bytewise& put(T value) {
    const auto* const begin = reinterpret_cast<const char*>(&value);
    text_.append(begin, sizeof(value));
    return *this;
  }
  Bytewise& put(const std::string& text) {
    text_ += text;
    return *this;
  }
  Bytewise& name(const std::string& text) { return put(uint64_t{text.size()}).put(text); }
  /// The header of a list of `count` arrays.
  static Bytewise list(uint64_t count) { return Bytewise().put(uint64_t{0x112}).put(uint64_t{0}).put(count); }
  /// One float in the newest format.
  Bytewise& one(float value) {
    return put(0xF993fac9U).put(0).put(1).put(int64_t{1}).put(1).put(0).put(0).put(value);
  }

  const std::string& text() const { return text_; }
  Result<NamedArrays> load() const { return load_params(MemoryByteSource(std::as_bytes(std::span(text_)))); }

 private:
  std::string text_;
};

std::string error_of(const Bytewise& file) {
  const Result<NamedArrays> loaded = file.load();
  return loaded.ok() ? "" : std::string(loaded.status().message());
}

std::string temporary_path(const std::string& name) {
  return ::testing::TempDir() + "/" + std::to_string(getpid()) + name;
}

TEST(ParamsFileTest, WhatWasSavedIsLoaded) {
  using tensor::DType;
  NamedArrays saved;
  for (const DType dtype :
       {DType::kFloat, DType::kFloat64, DType::kFloat16, DType::kUint8, DType::kInt32, DType::kInt8,
        DType::kInt64, DType::kBool, DType::kInt16, DType::kUint16, DType::kUint32, DType::kUint64}) {
    saved.names.emplace_back(tensor::name_of(dtype));
    saved.arrays.push_back(array_of({1, 0, 1}, {3, 1}, dtype));
  }
  saved.names.insert(saved.names.end(), {"scalar", "empty"});
  saved.arrays.push_back(array_of({7}, {}));
  saved.arrays.push_back(*full({{0, 3}}, 0));
  const std::string path = temporary_path("all.params");
  ASSERT_TRUE(save_params_file(path, saved).ok());
  const Result<NamedArrays> loaded = load_params_file(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->names, saved.names);
  for (size_t i = 0; i < saved.arrays.size(); ++i) {
    EXPECT_EQ(loaded->arrays[i].spec(), saved.arrays[i].spec());
    EXPECT_EQ(values_of(loaded->arrays[i]), values_of(saved.arrays[i]));
  }
  unlink(path.c_str());
}

TEST(ParamsFileTest, WritesTheBytesOfMxnet) {
  const std::string path = temporary_path("bytes.params");
  ASSERT_TRUE(save_params_file(path, {{array_of({2}, {1}, tensor::DType::kFloat)}, {"arg:b"}}).ok());
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(content, Bytewise::list(1).one(2).put(uint64_t{1}).name("arg:b").text());
  EXPECT_FALSE(std::ifstream(path + ".part").good());
  unlink(path.c_str());
}

TEST(ParamsFileTest, ReadsOlderForms) {
  Bytewise file = Bytewise::list(2);
  file.put(0xF993fac8U).put(2).put(int64_t{2}).put(int64_t{1}).put(1).put(0).put(0).put(5.0F).put(6.0F);
  file.put(2U).put(1U).put(2U).put(2).put(3).put(0).put(7.0F).put(8.0F).put(uint64_t{0});
  const Result<NamedArrays> loaded = file.load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->arrays[0].shape(), (tensor::Shape{2, 1}));
  EXPECT_THAT(values_of(loaded->arrays[0]), ElementsAre(5, 6));
  EXPECT_EQ(loaded->arrays[1].shape(), (tensor::Shape{1, 2}));
  EXPECT_THAT(values_of(loaded->arrays[1]), ElementsAre(7, 8));
}

TEST(ParamsFileTest, SaysWhatIsBrokenAndWhere) {
  EXPECT_THAT(error_of(Bytewise()), HasSubstr("at byte 0: the file ends 8 bytes too early"));
  EXPECT_THAT(error_of(Bytewise().put(std::string("hello world, no file"))),
              HasSubstr("not a file of arrays"));
  EXPECT_THAT(error_of(Bytewise::list(uint64_t{1} << 60)),
              HasSubstr("1152921504606846976 arrays in 0 bytes"));
  const auto array = [](auto... numbers) {
    Bytewise file = Bytewise::list(1);
    (file.put(numbers), ...);
    return error_of(file.put(std::string(16, '\0')));
  };
  const std::string rank = array(0xF993fac9U, 0, -1);
  EXPECT_THAT(rank, HasSubstr("at byte 36: array 0 of 1, which begins at byte 24: a rank of -1"));
  EXPECT_THAT(array(0xF993fac9U, 0, 33), HasSubstr("a rank of 33"));
  EXPECT_THAT(array(0xF993fac9U, 0, 9), HasSubstr("at most 8 axes"));
  EXPECT_THAT(array(0xF993fac9U, 0, 0), HasSubstr("never given a shape"));
  EXPECT_THAT(array(0xF993fac9U, 1), HasSubstr("row_sparse"));
  EXPECT_THAT(array(0xF993fac9U, 2), HasSubstr("csr"));
  EXPECT_THAT(array(0xF993fac9U, 7), HasSubstr("a storage type of 7"));
  EXPECT_THAT(array(0xF993fac9U, 0, 1, int64_t{-4}), HasSubstr("a shape of -4"));
  EXPECT_THAT(array(0xF993fac9U, 0, 2, int64_t{1} << 40, int64_t{1} << 40), HasSubstr("a shape of"));
  EXPECT_THAT(array(0xF993fac9U, 0, 1, int64_t{1} << 50, 1, 0, 0), HasSubstr("of which the file has 4"));
  EXPECT_THAT(array(0xF993fac9U, 0, 1, int64_t{1}, 1, 0, 12), HasSubstr("elements of type 12"));
  EXPECT_THAT(array(0xF993fac9U, 0, 1, int64_t{1}, 1, 0, -1), HasSubstr("elements of type -1"));
  EXPECT_THAT(array(0xFFFFFFFFU), HasSubstr("a rank of"));
}

TEST(ParamsFileTest, SaysWhatIsWrongWithNames) {
  const auto names = [](const Bytewise& end) {
    return error_of(Bytewise::list(2).one(1).one(2).put(end.text()));
  };
  EXPECT_EQ(names(Bytewise().put(uint64_t{2}).name("a").name("b")), "");
  EXPECT_EQ(names(Bytewise().put(uint64_t{0})), "");
  EXPECT_THAT(names(Bytewise()), HasSubstr("the file ends 8 bytes too early"));
  EXPECT_THAT(names(Bytewise().put(uint64_t{1}).name("a")), HasSubstr("1 names for 2 arrays"));
  EXPECT_THAT(names(Bytewise().put(uint64_t{2}).name("a").name("a")), HasSubstr("two arrays are named 'a'"));
  EXPECT_THAT(names(Bytewise().put(uint64_t{2}).name("\xff").name("a")), HasSubstr("not UTF-8"));
  EXPECT_THAT(names(Bytewise().put(uint64_t{2}).put(uint64_t{1} << 40)), HasSubstr("a name of"));
  EXPECT_THAT(names(Bytewise().put(uint64_t{2}).put(uint64_t{9}).put(std::string("abc"))),
              HasSubstr("6 bytes too early"));
}

TEST(ParamsFileTest, AFileThatIsCutIsNeverLoaded) {
  const std::string whole = Bytewise::list(2).one(1).one(2).put(uint64_t{2}).name("a").name("bc").text();
  ASSERT_TRUE(Bytewise().put(whole).load().ok());
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto cut = Bytewise().put(whole.substr(0, length)).load();
    EXPECT_EQ(cut.status().code(), StatusCode::kDataLoss) << length;
  }
}

TEST(ParamsFileTest, FlippedBitsAreAnErrorOrAnotherFile) {
  Bytewise file = Bytewise::list(3).one(1).one(2);
  file.put(0xF993fac8U).put(2).put(int64_t{2}).put(int64_t{1}).put(1).put(0).put(0).put(5.0F).put(6.0F);
  const std::string whole = file.put(uint64_t{3}).name("a").name("bc").name("def").text();
  ASSERT_TRUE(file.load().ok());
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto loaded = Bytewise().put(flipped).load();
    const StatusCode code = loaded.status().code();
    EXPECT_TRUE(loaded.ok() || code == StatusCode::kDataLoss || code == StatusCode::kUnimplemented)
        << bit << ": " << loaded.status();
  }
}

TEST(ParamsFileTest, FilesThatCannotBe) {
  EXPECT_EQ(load_params_file("/nowhere/a.params").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(load_params_file(::testing::TempDir()).status().code(), StatusCode::kInvalidArgument);
  const Status status = save_params_file("/nowhere/a.params", {{array_of({1}, {1})}, {}});
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/a.params"));
  EXPECT_EQ(save_params_file(temporary_path("x"), {{array_of({1}, {1})}, {"a", "b"}}).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::ndarray
