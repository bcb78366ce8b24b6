#include "forebay/serving/protocol/shared_regions.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/memory/copy.h"
#include "forebay/serving/protocol/parse_request.h"
#include "forebay/serving/protocol/write_response.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kPage = 4096;

// A folder in the place of /dev/shm, with a file `key` of two pages and a half: byte i is i modulo 251.
class SharedRegionsTest : public ::testing::Test {
 protected:
  SharedRegionsTest() {
    std::string bytes(kPage * 5 / 2, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(i % 251);
    }
    std::ofstream(folder_ / "key", std::ios::binary) << bytes;
  }

  std::string file() const {
    std::ifstream in(folder_ / "key", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string refusal(const SharedRegion& region) {
    const Status status = regions_.add(region);
    EXPECT_FALSE(status.ok());
    return std::string(message(status));
  }
  NamedTensor tensor_at(const SharedPlace& place, Datatype datatype) {
    NamedTensor tensor;
    tensor.name = "x";
    tensor.datatype = datatype;
    EXPECT_TRUE(regions_.read(place, tensor).ok());
    return tensor;
  }

  TemporaryDirectory folder_;
  SharedRegions regions_{{.folder = folder_.path()}};
};

TEST_F(SharedRegionsTest, InputsAreReadWhereTheyLie) {
  ASSERT_TRUE(regions_.add({"r", "/key", kPage + 4, 100}).ok());
  const uint64_t copied = memory::bytes_copied();
  const NamedTensor tensor = tensor_at({"r", 8, 4}, Datatype::kUint32);
  ASSERT_EQ(tensor.size_bytes, 4);
  EXPECT_EQ(tensor.bytes()[0], std::byte{(kPage + 12) % 251});
  EXPECT_EQ(memory::bytes_copied(), copied);
  // What the client writes later is seen: it is the same memory.
  std::fstream out(folder_ / "key", std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(kPage + 12).put('\x7f').flush();
  EXPECT_EQ(tensor.bytes()[0], std::byte{0x7f});
}

TEST_F(SharedRegionsTest, WhatIsCheckedBeforeUseIsCopied) {
  ASSERT_TRUE(regions_.add({"r", "key", 0, kPage}).ok());
  const std::vector<NamedTensor> tensors = {tensor_at({"r", 5, 2}, Datatype::kBytes),
                                            tensor_at({"r", 5, 2}, Datatype::kBool),
                                            tensor_at({"r", 5, 4}, Datatype::kFp32)};
  std::filesystem::resize_file(folder_ / "key", 0);  // reading the mapping would end the process now
  for (const NamedTensor& tensor : tensors) {
    EXPECT_THAT(tensor.bytes().first(2), ElementsAre(std::byte{5}, std::byte{6}));
  }
}

TEST_F(SharedRegionsTest, ClientsThatAreNotTrustedAreCopied) {
  SharedRegions careful({.folder = folder_.path(), .reads_in_place = false});
  ASSERT_TRUE(careful.add({"r", "key", 0, kPage}).ok());
  NamedTensor tensor;
  ASSERT_TRUE(careful.read({"r", 4, 4}, tensor).ok());
  std::filesystem::resize_file(folder_ / "key", 0);
  EXPECT_EQ(tensor.bytes()[0], std::byte{4});
}

TEST_F(SharedRegionsTest, OutputsAreWritten) {
  ASSERT_TRUE(regions_.add({"r", "key", 10, 100}).ok());
  const std::string before = file();
  const std::string_view text = "abc";
  const Bytes bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  ASSERT_TRUE(regions_.write({"r", 1, 50}, bytes).ok());
  std::string expected = before;
  expected.replace(11, 3, "abc");
  EXPECT_EQ(file(), expected);
  EXPECT_THAT(std::string(message(regions_.write({"r", 1, 2}, bytes))), HasSubstr("do not fit"));
  EXPECT_EQ(file(), expected);
}

TEST_F(SharedRegionsTest, APlaceLiesWithinItsRegionAndFile) {
  ASSERT_TRUE(regions_.add({"r", "key", kPage, kPage}).ok());
  EXPECT_TRUE(regions_.check({"r", 0, kPage}).ok());
  EXPECT_TRUE(regions_.check({"r", kPage, 0}).ok());
  EXPECT_FALSE(regions_.check({"r", 1, kPage}).ok());
  EXPECT_FALSE(regions_.check({"r", kPage + 1, 0}).ok());
  EXPECT_FALSE(regions_.check({"r", 8, UINT64_MAX}).ok());
  EXPECT_FALSE(regions_.check({"r", UINT64_MAX, 8}).ok());
  EXPECT_EQ(regions_.check({"s", 0, 1}).code(), StatusCode::kNotFound);
  std::filesystem::resize_file(folder_ / "key", kPage + 10);
  EXPECT_TRUE(regions_.check({"r", 0, 10}).ok());
  EXPECT_THAT(std::string(message(regions_.check({"r", 0, 11}))), HasSubstr("'key' has 4106 bytes"));
}

TEST_F(SharedRegionsTest, KeysAreNamesBeneathTheFolder) {
  std::filesystem::create_symlink("key", folder_ / "link");
  std::filesystem::create_directory(folder_ / "directory");
  std::ofstream(folder_ / "directory/key") << "within";
  for (const char* key : {"", "/", ".", "..", "../key", "directory/key", "//key", "/../key"}) {
    EXPECT_THAT(refusal({"r", key, 0, 1}), HasSubstr("must be one name")) << key;
  }
  EXPECT_THAT(refusal({"r", std::string("k\0y", 3), 0, 1}), HasSubstr("must be one name"));
  EXPECT_THAT(refusal({"r", "link", 0, 1}), HasSubstr("'link'"));
  EXPECT_THAT(refusal({"r", "directory", 0, 1}), HasSubstr("'directory'"));
  EXPECT_EQ(regions_.add({"r", "none", 0, 1}).code(), StatusCode::kNotFound);
  EXPECT_TRUE(regions_.all().empty());
}

TEST_F(SharedRegionsTest, SizesAreCheckedWhenRegistering) {
  EXPECT_THAT(refusal({"r", "key", 0, kPage * 3}), HasSubstr("has 10240 bytes, and 12288 are needed"));
  EXPECT_THAT(refusal({"r", "key", 0, 0}), HasSubstr("impossible"));
  EXPECT_THAT(refusal({"r", "key", UINT64_MAX, 2}), HasSubstr("impossible"));
  EXPECT_THAT(refusal({"r", "key", INT64_MAX, 2}), HasSubstr("are needed"));
  EXPECT_THAT(refusal({"", "key", 0, 1}), HasSubstr("needs a name"));
}

TEST_F(SharedRegionsTest, ANameIsTakenUntilItIsRemoved) {
  ASSERT_TRUE(regions_.add({"b", "key", 0, 16}).ok());
  ASSERT_TRUE(regions_.add({"a", "key", 16, 16}).ok());
  EXPECT_EQ(regions_.add({"a", "key", 0, 1}).code(), StatusCode::kAlreadyExists);
  ASSERT_EQ(regions_.all().size(), 2);
  EXPECT_EQ(regions_.all()[0].name, "a");
  EXPECT_EQ(regions_.find("b")->size_bytes, 16);
  const NamedTensor tensor = tensor_at({"a", 0, 4}, Datatype::kFp32);
  regions_.remove("a");
  regions_.remove("a");
  EXPECT_EQ(tensor.bytes()[0], std::byte{16});  // the mapping lives on
  EXPECT_EQ(regions_.find("a").status().code(), StatusCode::kNotFound);
  regions_.remove_all();
  EXPECT_TRUE(regions_.all().empty());
}

TEST_F(SharedRegionsTest, RegionsAreLimited) {
  SharedRegions few({.folder = folder_.path(), .key_prefix = "k", .max_regions = 1});
  ASSERT_TRUE(few.add({"a", "key", 0, 1}).ok());
  EXPECT_EQ(few.add({"b", "key", 0, 1}).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(few.add({"b", "other", 0, 1}).code(), StatusCode::kPermissionDenied);
}

TEST_F(SharedRegionsTest, RequestsNameThemForInputsAndOutputs) {
  ASSERT_TRUE(regions_.add({"r", "key", 0, 64}).ok());
  // As Triton's Python client writes it.
  const std::string json =
      R"({"inputs":[{"name":"x","shape":[4],"datatype":"UINT8","parameters":{"shared_memory_region":"r",)"
      R"("shared_memory_byte_size":4,"shared_memory_offset":8}}],"outputs":[{"name":"x","parameters":)"
      R"({"binary_data":true,"shared_memory_region":"r","shared_memory_byte_size":16}}]})";
  RequestBody body{memory::Buffer::allocate(json.size()).value(), 0, json.size()};
  std::copy(json.begin(), json.end(), static_cast<char*>(body.buffer->data()));
  const auto parsed = parse_request(body, std::nullopt, {.regions = &regions_});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  InferResponse response;
  response.outputs = parsed->request.inputs;
  const auto answer = write_response(std::move(response), parsed->form, nullptr, &regions_);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(file().substr(0, 4), "\x08\x09\x0a\x0b");
  EXPECT_THAT(answer->json, HasSubstr(R"({"name":"x","datatype":"UINT8","shape":[4]}])"));
  EXPECT_FALSE(answer->header_length.has_value());
  regions_.remove("r");
  EXPECT_EQ(parse_request(body, std::nullopt, {.regions = &regions_}).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::serving
