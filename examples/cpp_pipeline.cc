// A training pipeline in C++: photographs in folders, one a class, to batches of 224 x 224 pixels. The folder
// may be local or remote (s3://bucket/photos): then it is read through the host's cache.
//
//   forebay_example_pipeline FOLDER
#include <iostream>

#include "forebay/assembly/assemble.h"
#include "forebay/fn.h"
#include "forebay/pipeline/pipeline.h"

namespace fn = forebay::fn;

forebay::Status run(const std::string& folder) {
  forebay::Pipeline pipe({.batch_size = 8, .num_threads = 2, .seed = 1});
  const auto file = fn::readers::file(pipe, {.file_root = folder, .random_shuffle = true, .name = "reader"});
  auto images = fn::decoders::image_random_crop(file[0]);
  images = fn::resize(images, {.size = {224, 224}});
  images = fn::crop_mirror_normalize(images, {.mirror = fn::random::coin_flip(pipe),
                                              .mean = {123.675, 116.28, 103.53},
                                              .std = {58.395, 57.12, 57.375}});
  pipe.set_outputs({images, file[1]});
  FOREBAY_RETURN_IF_ERROR(pipe.build());
  for (int batch = 0; batch < 3; ++batch) {
    FOREBAY_ASSIGN_OR_RETURN(const auto delivery, pipe.run());
    FOREBAY_ASSIGN_OR_RETURN(const auto data, delivery.outputs[0].stacked());
    std::cout << "batch " << delivery.iteration << ": " << data.spec().to_string() << "\n";
  }
  std::cout << pipe.session().explain().to_string();
  return forebay::ok_status();
}

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::cerr << "usage: forebay_example_pipeline FOLDER\n";
    return 2;
  }
  forebay::assembly::assemble();
  const forebay::Status status = run(arguments[1]);
  if (!status.ok()) {
    std::cerr << forebay::message(status) << "\n";
    return 1;
  }
  return 0;
}
