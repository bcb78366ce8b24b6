// Readers of arrays and of other frameworks' records, as operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

namespace records = dataset::testing;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::values_of;

using Arguments = std::map<std::string, Value>;
using Wholes = std::vector<int64_t>;

class RecordReaders : public ::testing::Test {
 protected:
  RecordReaders()
      : folder_(std::filesystem::temp_directory_path() /
                ("forebay_record_readers_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~RecordReaders() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  static Result<std::vector<Tensor>> first_of(std::string_view op, Arguments given) {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<Operator> made,
                             testing::make_operator(op, {.constants = std::move(given)}, 0));
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<dataset::Source> source, made->open_source({}));
    FOREBAY_ASSIGN_OR_RETURN(dataset::Record record, dataset::read_now(*source, 0));
    EXPECT_EQ(static_cast<int>(record.fields.size()), made->num_outputs());
    return std::move(record.fields);
  }
  static std::string error_of(std::string_view op, Arguments given) {
    return std::string(message(first_of(op, std::move(given)).status()));
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RecordReaders, NumpyCutsRegions) {
  const std::string path = put("a.npy", records::npy_file("'<i4'", "(4, 5)", records::counted<int32_t>(20)));
  const auto region = [&](Arguments given) {
    given["files"] = path;
    const auto fields = first_of("readers.numpy", std::move(given));
    EXPECT_TRUE(fields.ok()) << fields.status();
    return fields.ok() ? values_of<int32_t>((*fields)[0]) : std::vector<int32_t>();
  };
  EXPECT_THAT(region({{"roi_start", Wholes{1, 2}}, {"roi_end", Wholes{3, 4}}}), ElementsAre(7, 8, 12, 13));
  EXPECT_THAT(region({{"roi_start", int64_t{1}}, {"roi_shape", int64_t{2}}}), ElementsAre(6, 7, 11, 12));
  EXPECT_THAT(region({{"roi_start", int64_t{3}}, {"roi_axes", int64_t{0}}}), ElementsAre(15, 16, 17, 18, 19));
  EXPECT_THAT(region({{"rel_roi_start", std::vector<double>{0.3, 0.5}}, {"rel_roi_shape", 0.5}}),
              ElementsAre(8, 9, 13, 14));
  EXPECT_THAT(
      region({{"roi_start", Wholes{-1, 4}}, {"roi_shape", int64_t{2}}, {"out_of_bounds_policy", "pad"}}),
      ElementsAre(0, 0, 4, 0));
  EXPECT_THAT(region({{"roi_start", Wholes{-1, 4}},
                      {"roi_shape", int64_t{2}},
                      {"out_of_bounds_policy", "trim_to_shape"}}),
              ElementsAre(4));
}

TEST_F(RecordReaders, NumpySaysWhatIsWrong) {
  const std::string path = put("a.npy", records::npy_file("'<i4'", "(4, 5)", records::counted<int32_t>(20)));
  const auto error = [&](Arguments given) {
    given["files"] = path;
    return error_of("readers.numpy", std::move(given));
  };
  EXPECT_THAT(error_of("readers.numpy", {}), HasSubstr("file_root"));
  EXPECT_THAT(error({{"file_list", "x"}}), HasSubstr("together"));
  EXPECT_THAT(error({{"roi_start", int64_t{1}}, {"rel_roi_start", 0.5}}), HasSubstr("together"));
  EXPECT_THAT(error({{"roi_end", int64_t{1}}, {"roi_shape", int64_t{1}}}), HasSubstr("only one"));
  EXPECT_THAT(error({{"out_of_bounds_policy", "wrap"}}), HasSubstr("trim_to_shape"));
  EXPECT_THAT(error({{"roi_start", Wholes{1, 1, 1}}}), HasSubstr("3 entries for 2 axes"));
  EXPECT_THAT(error({{"roi_start", int64_t{1}}, {"roi_axes", int64_t{2}}}), HasSubstr("axis 2"));
  EXPECT_THAT(error({{"roi_start", int64_t{4}}, {"roi_shape", int64_t{2}}}), HasSubstr("a.npy"));
  const auto by_tensor = testing::make_operator(
      "readers.numpy",
      {.constants = {{"files", path}}, .tensors = {{"roi_start", testing::tensor_of<int32_t>({1, 1}, {2})}}},
      0);
  EXPECT_THAT(std::string(message(by_tensor.status())), HasSubstr("slice"));
}

TEST_F(RecordReaders, MxnetGivesPictureAndLabels) {
  const std::string path =
      put("a.rec", records::recordio_part_of(records::image_record_of(std::vector<float>{1, 2}, "jpeg")));
  const auto fields = first_of("readers.mxnet", {{"path", path}});
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_THAT(values_of<uint8_t>((*fields)[0]), ElementsAre('j', 'p', 'e', 'g'));
  EXPECT_THAT(values_of<float>((*fields)[1]), ElementsAre(1, 2));
  EXPECT_THAT(error_of("readers.mxnet", {}), HasSubstr("'path' must be given"));
}

TEST_F(RecordReaders, CaffeGivesWhatIsAskedFor) {
  const std::string path = put("a.mdb", records::lmdb_file_of({{"1", records::datum_of("jpeg", 5)}}));
  EXPECT_THAT(values_of<int32_t>((*first_of("readers.caffe", {{"path", path}}))[1]), ElementsAre(5));
  EXPECT_EQ(first_of("readers.caffe", {{"path", path}, {"label_available", false}})->size(), 1);
  EXPECT_THAT(
      error_of("readers.caffe", {{"path", path}, {"label_available", false}, {"image_available", false}}),
      HasSubstr("image_available"));
  const std::string two =
      put("b.mdb", records::lmdb_file_of(
                       {{"1", records::tensor_protos_of(
                                  {records::picture_proto("jpeg"), records::int32_proto({1}),
                                   records::float_proto({0.5F}), records::int32_proto({1, 2, 3, 4})})}}));
  const auto fields =
      first_of("readers.caffe2", {{"path", two}, {"additional_inputs", int64_t{1}}, {"bbox", true}});
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_THAT(values_of<float>((*fields)[2]), ElementsAre(0.5));
  EXPECT_THAT(values_of<int32_t>((*fields)[3]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(error_of("readers.caffe2", {{"path", two}, {"label_type", int64_t{7}}}),
              HasSubstr("label_type is 7"));
  EXPECT_THAT(error_of("readers.caffe2", {{"path", two}, {"num_labels", int64_t{0}}}),
              HasSubstr("num_labels"));
  EXPECT_THAT(error_of("readers.caffe2", {{"path", two}, {"additional_inputs", int64_t{-1}}}),
              HasSubstr("additional_inputs"));
}

TEST_F(RecordReaders, FitsGivesAnOutputForEachUnit) {
  const std::string path =
      put("a.fits", records::fits_unit({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 1", "NAXIS1  = 2"}, "xy"));
  const auto fields = first_of("experimental.readers.fits", {{"files", path}, {"hdu_indices", Wholes{1, 1}}});
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_THAT(values_of<uint8_t>((*fields)[1]), ElementsAre('x', 'y'));
  EXPECT_THAT(error_of("experimental.readers.fits", {{"files", path}}), HasSubstr("no unit 2"));
  EXPECT_THAT(error_of("experimental.readers.fits", {{"files", path}, {"hdu_indices", int64_t{0}}}),
              HasSubstr("0 is no unit"));
}

}  // namespace
}  // namespace forebay::operators
