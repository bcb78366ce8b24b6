#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::counted;
using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::tensor_of;

/// A folder that is deleted with the test.
class Files : public ::testing::Test {
 protected:
  Files() : folder_(std::filesystem::temp_directory_path() / ("forebay_files_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static Tensor named(const std::string& path) {
    return tensor_of<uint8_t>({path.begin(), path.end()}, {static_cast<int64_t>(path.size())});
  }
  static std::string content_of(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  }
  static std::string error_of(std::string_view op, Tensor input, const Given& given = {}) {
    return std::string(message(run_operator(op, {std::move(input)}, given).status()));
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Files, AreReadByTheirNames) {
  std::ofstream(path("a \xff name"), std::ios::binary) << "content";
  std::ofstream(path("empty"), std::ios::binary) << "";
  const auto out = run_operator("io.file.read", {named(path("a \xff name"))});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].spec(), (TensorSpec{{7}, DType::kUint8, {}}));
  EXPECT_EQ(testing::values_of<uint8_t>((*out)[0]),
            (std::vector<uint8_t>{'c', 'o', 'n', 't', 'e', 'n', 't'}));
  EXPECT_EQ((*run_operator("io.file.read", {named(path("empty"))}))[0].volume(), 0);
  EXPECT_TRUE(run_operator("io.file.read", {named(path("empty") + std::string(3, '\0'))}).ok());
}

TEST_F(Files, ThatCannotBeReadAreNamed) {
  EXPECT_THAT(error_of("io.file.read", named(path("none"))), HasSubstr("none"));
  EXPECT_THAT(error_of("io.file.read", named("")), HasSubstr("empty path"));
  EXPECT_THAT(error_of("io.file.read", counted<float>({3})), HasSubstr("uint8"));
  EXPECT_THAT(error_of("io.file.read", counted<uint8_t>({3, 1})), HasSubstr("one axis"));
}

TEST_F(Files, PicturesAreWrittenAsText) {
  Given given{.constants = {{"folder", path("")}, {"suffix", "x"}}};
  given.identity.index_in_batch = 3;
  const Tensor picture = counted<uint8_t>({2, 2, 3}, "HWC");
  const auto out = run_operator("dump_image", {picture}, given);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(testing::same_bytes((*out)[0], picture));
  EXPECT_EQ(content_of(path("3-x-0.ppm")), "P3\n2 2\n255\n0 1 2 3 4 5 \n6 7 8 9 10 11 \n");
  ASSERT_TRUE(run_operator("dump_image", {counted<uint8_t>({2, 2, 1})}, given).ok());
  EXPECT_EQ(content_of(path("3-x-0.ppm")), "P2\n2 2\n255\n0 1 \n2 3 \n");
}

TEST_F(Files, PicturesThatCannotBeWrittenAreNamed) {
  const Given here{.constants = {{"folder", path("")}}};
  EXPECT_THAT(error_of("dump_image", counted<uint8_t>({2, 2, 4}), here), HasSubstr("2x2x4"));
  EXPECT_THAT(error_of("dump_image", counted<float>({2, 2, 3}), here), HasSubstr("float"));
  EXPECT_THAT(error_of("dump_image", counted<uint8_t>({2, 2}), here), HasSubstr("HWC"));
  EXPECT_THAT(error_of("dump_image", counted<uint8_t>({2, 2, 3}), {.constants = {{"input_layout", "CHW"}}}),
              HasSubstr("CHW"));
  std::ofstream(path("file")) << "x";
  EXPECT_FALSE(
      run_operator("dump_image", {counted<uint8_t>({2, 2, 3})}, {.constants = {{"folder", path("file")}}})
          .ok());
}

}  // namespace
}  // namespace forebay::operators
