// Images of many kinds, made by the test, as files in a folder that goes with the object, and as members of
// tar shards and TFRecord files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "main_job.h"

namespace forebay::end_to_end {

/// A fresh folder, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes `content`; the file's path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

/// Encoded image number `index`: baseline and progressive JPEG of several samplings, grey and turned by EXIF,
/// PNG with and without alpha and interlacing, some 40 to 200 pixels a side.
std::string small_image(int index);
std::vector<std::string> small_images(int count);

enum class Damage { kTruncated, kEmptied, kWrongType, kBitsFlipped, kMissing };
inline constexpr Damage kDamages[] = {Damage::kTruncated, Damage::kEmptied, Damage::kWrongType,
                                      Damage::kBitsFlipped, Damage::kMissing};

/// `content` damaged, the same for the same seed. Flipped bits hit the first bytes, so that no decoder can
/// overlook them; kMissing gives nothing and is up to the caller.
std::string damaged(const std::string& content, Damage damage, uint32_t seed);

/// The images as files "0.jpg", "1.jpg"... (whatever they hold).
std::vector<std::string> write_files(const TemporaryFolder& folder, const std::vector<std::string>& images);

/// As tar shards or TFRecord files of `per_file` samples each; the input that reads them.
Input write_tar_shards(const TemporaryFolder& folder, const std::vector<std::string>& images, int per_file);
Input write_tfrecords(const TemporaryFolder& folder, const std::vector<std::string>& images, int per_file);

}  // namespace forebay::end_to_end
