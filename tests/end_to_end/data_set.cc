#include "data_set.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "forebay/base/check.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/encode_png.h"
#include "forebay/dataset/testing/record_files.h"

namespace forebay::end_to_end {
namespace {

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string small_jpeg(int index, int height, int width) {
  codec::testing::JpegOptions options;
  options.height = height;
  options.width = width;
  options.channels = index % 7 == 3 ? 1 : 3;
  options.sampling_x = options.channels == 1 ? 1 : 1 + index % 2;
  options.sampling_y = options.channels == 1 ? 1 : 1 + index / 2 % 2;
  options.is_progressive = index % 3 == 1;
  options.exif_orientation = index % 9;
  return as_text(codec::testing::test_jpeg(options));
}

std::string small_png(int index, int height, int width) {
  constexpr int kColourTypes[] = {0, 2, 4, 6};
  codec::testing::PngOptions options;
  options.height = height;
  options.width = width;
  options.colour_type = kColourTypes[index % 4];
  options.is_interlaced = index % 3 == 0;
  return as_text(codec::testing::encode_png(codec::testing::test_samples(options), options));
}

std::string numbered(const char* stem, int number, const char* suffix) {
  return stem + std::to_string(number) + suffix;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "forebay_end_to_end_XXXXXX").string();
  FOREBAY_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::filesystem::remove_all(path_);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  const std::filesystem::path path = path_ / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string small_image(int index) {
  const int height = 40 + index * 37 % 160;
  const int width = 40 + index * 53 % 160;
  return index % 5 == 4 ? small_png(index, height, width) : small_jpeg(index, height, width);
}

std::vector<std::string> small_images(int count) {
  std::vector<std::string> images;
  for (int i = 0; i < count; ++i) {
    images.push_back(small_image(i));
  }
  return images;
}

std::string damaged(const std::string& content, Damage damage, uint32_t seed) {
  std::mt19937 random(seed);
  switch (damage) {
    case Damage::kTruncated:
      return content.substr(0, 1 + random() % (content.size() - 2));
    case Damage::kWrongType:
      return "This is a text about an image, " + std::to_string(seed) + ".";
    case Damage::kBitsFlipped: {
      std::string flipped = content;
      for (int i = 0; i < 4; ++i) {
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << random() % 8));
      }
      return flipped;
    }
    case Damage::kEmptied:
    case Damage::kMissing:
      break;
  }
  return {};
}

std::vector<std::string> write_files(const TemporaryFolder& folder, const std::vector<std::string>& images) {
  std::vector<std::string> files;
  for (size_t i = 0; i < images.size(); ++i) {
    files.push_back(folder.write(numbered("", static_cast<int>(i), ".jpg"), images[i]));
  }
  return files;
}

Input write_tar_shards(const TemporaryFolder& folder, const std::vector<std::string>& images, int per_file) {
  std::vector<std::string> shards;
  std::vector<std::pair<std::string, std::string>> members;
  for (size_t i = 0; i < images.size(); ++i) {
    const int number = static_cast<int>(i);
    members.emplace_back(numbered("sample", number, ".jpg"), images[i]);
    members.emplace_back(numbered("sample", number, ".cls"), std::to_string(number));
    if (members.size() == 2 * static_cast<size_t>(per_file) || i + 1 == images.size()) {
      const std::string name = numbered("shard", static_cast<int>(shards.size()), ".tar");
      shards.push_back(folder.write(name, dataset::testing::tar_archive(members)));
      members.clear();
    }
  }
  return {"readers.webdataset", {{"paths", shards}, {"ext", {"jpg", "cls"}}}};
}

Input write_tfrecords(const TemporaryFolder& folder, const std::vector<std::string>& images, int per_file) {
  using dataset::testing::int64_feature;
  using dataset::testing::string_feature;
  std::vector<std::string> paths;
  std::string records;
  for (size_t i = 0; i < images.size(); ++i) {
    records += dataset::testing::tfrecord(dataset::testing::example(
        {{"image", string_feature({images[i]})}, {"label", int64_feature({static_cast<int64_t>(i)})}}));
    if ((i + 1) % per_file == 0 || i + 1 == images.size()) {
      const std::string name = numbered("part", static_cast<int>(paths.size()), ".tfrecord");
      paths.push_back(folder.write(name, records));
      records.clear();
    }
  }
  const std::string features = R"([{"name": "image", "kind": "string", "shape": []},)"
                               R"( {"name": "label", "kind": "int64", "shape": [1], "default": 0}])";
  return {"readers.tfrecord", {{"path", paths}, {"features", features}}};
}

}  // namespace forebay::end_to_end
