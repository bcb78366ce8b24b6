#include <cstdlib>

#include "arrays/work.h"
#include "forebay/ndarray/creation.h"
#include "forebay/ndarray/elementwise.h"
#include "forebay/ndarray/runtime.h"

namespace {

namespace ndarray = forebay::ndarray;

struct Forebay {
  ndarray::Array ones(int rows, int columns) { return *ndarray::full({{rows, columns}}, 1); }
  ndarray::Array plus_one(const ndarray::Array& x) {
    return *ndarray::with_scalar(ndarray::ArithmeticOp::kAdd, x, 1);
  }
  void wait(const ndarray::Array& array) { (void)array.wait(); }
  void wait_all() { (void)ndarray::wait_for_all(); }
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  setenv("FOREBAY_ARRAY_WORKERS", std::to_string(static_cast<int>(task.number.at("workers"))).c_str(), 1);
  Forebay forebay;
  arrays_benchmark::run(task, {{"forebay", FOREBAY_VERSION}}, forebay);
  return 0;
}
