#include "forebay/operators/testing/file_conformance_cases.h"

#include <lz4.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "forebay/codec/testing/encode_audio.h"
#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/dataset/testing/mds_files.h"
#include "forebay/dataset/testing/parquet_files.h"

namespace forebay::operators::testing {
namespace {

namespace records = dataset::testing;

using Texts = std::vector<std::string>;
using Ints = std::vector<int64_t>;

/// A folder that is deleted when the program ends.
const std::string& own_folder() {
  struct Folder {
    std::string path =
        (std::filesystem::temp_directory_path() / ("forebay_cases_" + std::to_string(getpid()))).string();
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code error;
      std::filesystem::remove_all(path, error);
    }
  };
  static const Folder folder;
  return folder.path;
}

void put_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

Tensor tensor_of_text(const std::string& text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  return *Tensor::copy_of_bytes(bytes, {{static_cast<int64_t>(bytes.size())}, DType::kUint8, {}});
}

TensorOfSample npy() {
  return [](uint64_t sample) {
    return tensor_of_text(
        records::npy_file("'<i2'", "(2, 6)", records::counted<int16_t>(12), sample % 2 == 1));
  };
}

TensorOfSample deflated() {
  return [](uint64_t sample) {
    const std::string text(24, static_cast<char>('a' + sample % 20));
    std::string block(static_cast<size_t>(LZ4_compressBound(24)), '\0');
    block.resize(static_cast<size_t>(
        LZ4_compress_default(text.data(), block.data(), 24, static_cast<int>(block.size()))));
    return tensor_of_text(block);
  };
}

std::string sound_file(uint64_t sample, const std::string& kind) {
  const std::vector<std::byte> made =
      codec::testing::test_audio(static_cast<int64_t>(400 + sample % 7), {kind, 16000, 2});
  return {reinterpret_cast<const char*>(made.data()), made.size()};
}

TensorOfSample sound(const std::string& kind) {
  return [kind](uint64_t sample) { return tensor_of_text(sound_file(sample, kind)); };
}

TensorOfSample path_of_file() {
  return [](uint64_t sample) {
    const std::string path = own_folder() + "/" + std::to_string(sample % 3);
    return tensor_of_text(path);
  };
}

/// Files of one sample each.
struct SmallSets {
  Texts arrays;
  Texts images;
};

SmallSets write_sets(const std::string& folder, int64_t samples) {
  SmallSets sets;
  std::string recordio;
  std::vector<std::pair<std::string, std::string>> datums;
  std::vector<std::pair<std::string, std::string>> protos;
  std::filesystem::create_directories(folder + "/videos/one");
  put_file(folder + "/videos/one/099.jpg", "the first frame");
  for (int64_t i = 0; i < samples; ++i) {
    const std::string number = std::to_string(100 + i);
    sets.arrays.push_back(folder + "/" + number + ".npy");
    put_file(sets.arrays.back(),
             records::npy_file("'<i4'", "(3, 4)", records::bytes_of_values(std::vector<int64_t>(6, i))));
    sets.images.push_back(folder + "/" + number + ".fits");
    put_file(sets.images.back(),
             records::fits_unit({"SIMPLE  = T", "BITPIX  = 16", "NAXIS   = 1", "NAXIS1  = 4"},
                                std::string(8, static_cast<char>(i))));
    put_file(folder + "/videos/one/" + number + ".jpg", "frame " + number);
    recordio +=
        records::recordio_part_of(records::image_record_of(static_cast<float>(i), "picture " + number));
    datums.emplace_back(number, records::datum_of("picture " + number, i));
    protos.emplace_back(number, records::tensor_protos_of({records::int32_proto({static_cast<int32_t>(i)})}));
  }
  std::string manifest;
  for (int64_t i = 0; i < samples; ++i) {
    const std::string name = folder + "/" + std::to_string(100 + i) + ".wav";
    put_file(name, sound_file(static_cast<uint64_t>(i), "wav s16"));
    manifest += R"({"audio_filepath": ")" + name + R"(", "text": "number )" + std::to_string(i) + "\"}\n";
  }
  put_file(folder + "/manifest.json", manifest);
  put_file(folder + "/pictures.rec", recordio);
  put_file(folder + "/datums.mdb", records::lmdb_file_of(datums));
  put_file(folder + "/protos.mdb", records::lmdb_file_of(protos));
  return sets;
}

/// Columns of numbers and texts: rows.parquet, two row groups of pages of four rows, and packed shards in
/// mds/.
void write_columns(const std::string& folder, int64_t samples) {
  records::ParquetText rows({{"number", 2}, {"text", 6}}, dataset::Compression::kZstd, true);
  std::vector<records::MdsSamples> shards;
  for (int64_t begin = 0; begin < samples; begin += 8) {
    rows.begin_group(static_cast<uint64_t>(std::min<int64_t>(8, samples - begin)));
    std::vector<records::PageText> numbers;
    std::vector<records::PageText> texts;
    for (int64_t first = begin; first < std::min(begin + 8, samples); first += 4) {
      std::vector<int64_t> page;
      std::vector<std::string> words;
      shards.emplace_back();
      for (int64_t i = first; i < std::min({first + 4, begin + 8, samples}); ++i) {
        page.push_back(i);
        words.push_back("text " + std::to_string(i));
        shards.back().push_back({words.back(), records::bytes_of_values<int64_t>({i})});
      }
      numbers.push_back(records::plain_page(page));
      texts.push_back({.values = words.size(), .content = records::plain_texts(words), .rows = words.size()});
    }
    rows.add_chunk(2, numbers);
    rows.add_chunk(6, texts);
  }
  put_file(folder + "/rows.parquet", rows.finish());
  std::filesystem::create_directories(folder + "/mds");
  const std::vector<dataset::MdsColumn> columns = {{"text", "str", {}}, {"number", "int", 8}};
  for (const auto& [name, content] :
       records::mds_files_of(columns, shards, {.compression = dataset::Compression::kZstd})) {
    put_file(folder + "/mds/" + name, content);
  }
}

}  // namespace

std::vector<ConformanceCase> file_conformance_cases() {
  for (int i = 0; i < 3; ++i) {
    put_file(own_folder() + "/" + std::to_string(i), std::string(static_cast<size_t>(i) * 9, 'x'));
  }
  const TensorOfSample picture = [](uint64_t sample) {
    return noise({{4, 5, 3}, DType::kUint8, "HWC"}, sample);
  };
  std::vector<ConformanceCase> cases;
  cases.push_back({"decoders.numpy", "", {}, {npy()}, {}});
  cases.push_back(
      {"decoders.numpy", "converted", {{"dtype", static_cast<int64_t>(DType::kFloat)}}, {npy()}, {}});
  cases.push_back({"decoders.inflate", "", {{"shape", Ints{2, 3, 4}}}, {deflated()}, {}});
  cases.push_back(
      {"decoders.inflate", "chunks", {{"shape", Ints{24}}, {"chunk_offsets", Ints{0}}}, {deflated()}, {}});
  cases.push_back({"decoders.audio", "", {}, {sound("wav s16")}, {}});
  cases.push_back({"decoders.audio", "mixed", {{"downmix", true}}, {sound("flac s24")}, {}});
  cases.push_back({"decoders.audio",
                   "resampled",
                   {{"sample_rate", 44100.0}, {"dtype", static_cast<int64_t>(DType::kInt16)}},
                   {sound("wav float")},
                   {}});
  const TensorOfSample waves = [](uint64_t sample) { return noise({{20000, 2}, DType::kFloat, {}}, sample); };
  cases.push_back({"audio_resample", "", {{"scale", 1.3}}, {waves}, {}});
  cases.push_back({"audio_resample",
                   "to integers",
                   {{"in_rate", 3.0}, {"out_rate", 2.0}, {"dtype", static_cast<int64_t>(DType::kInt16)}},
                   {waves},
                   {}});
  cases.push_back({"io.file.read", "", {}, {path_of_file()}, {}});
  cases.push_back({"dump_image", "", {{"folder", own_folder()}}, {picture}, {}});
  return cases;
}

std::vector<ConformanceCase> record_source_cases(const std::string& folder, int64_t samples, bool shuffled) {
  const SmallSets sets = write_sets(folder, samples);
  write_columns(folder, samples);
  std::vector<ConformanceCase> cases;
  const auto add = [&](const std::string& op, const std::string& what,
                       std::map<std::string, Value> constants) {
    constants["random_shuffle"] = shuffled;
    const std::string joint = what.empty() || !shuffled ? "" : ", ";
    cases.push_back({op, what + joint + (shuffled ? "shuffled" : ""), std::move(constants), {}, {}});
  };
  add("readers.numpy", "", {{"files", sets.arrays}});
  add("readers.numpy", "a region",
      {{"files", sets.arrays}, {"roi_start", Ints{1, 1}}, {"roi_shape", Ints{2, 2}}});
  add("experimental.readers.fits", "", {{"files", sets.images}, {"hdu_indices", Ints{1}}});
  add("readers.nemo_asr", "",
      {{"manifest_filepaths", Texts{folder + "/manifest.json"}}, {"read_idxs", true}});
  add("readers.sequence", "", {{"file_root", folder + "/videos"}, {"sequence_length", int64_t{2}}});
  add("readers.mxnet", "", {{"path", folder + "/pictures.rec"}});
  add("readers.caffe", "", {{"path", folder + "/datums.mdb"}});
  add("readers.caffe2", "", {{"path", folder + "/protos.mdb"}, {"image_available", false}});
  const Texts columns = {"number", "text"};
  add("readers.mds", "", {{"path", folder + "/mds"}, {"columns", columns}});
  add("readers.parquet", "", {{"path", folder + "/rows.parquet"}, {"columns", columns}});
  return cases;
}

}  // namespace forebay::operators::testing
