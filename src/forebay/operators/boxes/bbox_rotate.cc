// bbox_rotate: boxes about what they enclosed before rotate turned their image.
#include <cmath>

#include "forebay/kernels/image/rotation.h"
#include "forebay/operators/boxes/box_turn.h"
#include "forebay/operators/boxes/named_extents.h"

namespace forebay::operators {
namespace {

struct BoxRotate {
  Arg<float> angle = 0.0f;
  Arg<std::vector<int64_t>> input_shape;
  LayoutName shape_layout{"HW"};
  LayoutName bbox_layout{"xyXY"};
  bool bbox_normalized = true;
  bool keep_size = false;
  Arg<std::vector<float>> size;
  std::string mode = "expand";
  float remove_threshold = 0.1f;
  int64_t num_inputs = 1;

  int num_outputs() const { return static_cast<int>(num_inputs); }

  Status prepare(const Arguments& arguments) {
    num_inputs = arguments.num_inputs;
    FOREBAY_ASSIGN_OR_RETURN(layout_, BoxLayout::of_names(bbox_layout.names));
    const Layout shape_names(shape_layout.names);
    if (layout_.axes() != 2 || shape_names.find('W') < 0 || shape_names.find('H') < 0) {
      return invalid_argument("bbox_layout '{}' and shape_layout '{}' are to name x and y, W and H",
                              bbox_layout.names, shape_layout.names);
    }
    if (keep_size && size.is_given()) {
      return invalid_argument("`keep_size` and `size` cannot be given together");
    }
    if (!(remove_threshold >= 0 && remove_threshold <= 1)) {
      return invalid_argument("remove_threshold is {}; it must be in [0, 1]", remove_threshold);
    }
    shrink_ = mode == "expand" ? 0.0f : (mode == "fixed" ? 1.0f : 0.5f);
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_rows_of_boxes(in, 4));
    if (num_inputs > 1) {
      FOREBAY_RETURN_IF_ERROR(check_labels(sample.input(1), in.shape()[0]));
    }
    FOREBAY_ASSIGN_OR_RETURN(const float degrees, angle.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const PlaneSize image, image_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const PlaneSize canvas, canvas_of(sample, image, degrees));
    const BoxTurn turn(degrees, image, canvas);
    memory::ScratchVector<Box> boxes = read_boxes(in, layout_);
    memory::ScratchVector<int32_t> kept;
    for (size_t i = 0; i < boxes.size(); ++i) {
      boxes[i] = turn.turned(boxes[i], bbox_normalized, shrink_);
      if (turn.clip(boxes[i]) >= remove_threshold) {
        kept.push_back(static_cast<int32_t>(i));
      }
    }
    FOREBAY_ASSIGN_OR_RETURN(
        const MutableTensorView out,
        sample.output(0, {{static_cast<int64_t>(kept.size()), 4}, DType::kFloat, in.layout()}));
    float* row = out.as<float>();
    for (const int32_t number : kept) {
      write(boxes[static_cast<size_t>(number)], canvas, row);
      row += 4;
    }
    return num_inputs > 1 ? keep_rows(sample, 1, sample.input(1), kept) : ok_status();
  }

 private:
  Result<PlaneSize> image_of(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers shape, input_shape.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const WindowShape extents,
                             named_extents("input_shape", shape, shape_layout.names, "WH"));
    return PlaneSize{extents[0], extents[1]};
  }

  Result<PlaneSize> canvas_of(const Sample& sample, const PlaneSize& image, float degrees) const {
    if (keep_size) {
      return image;
    }
    if (size.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats given, size.values(sample));
      if (given.size() != 2 || !(given[0] >= 1) || !(given[1] >= 1)) {
        return invalid_argument("size is to be the canvas's height and width, at least 1 each");
      }
      return PlaneSize{std::floor(given[1]), std::floor(given[0])};
    }
    const std::array extents{static_cast<int64_t>(image[1]), static_cast<int64_t>(image[0])};
    kernels::RotatedCanvas canvas(extents);
    canvas.add(degrees, {});
    const std::vector<int64_t> sides = canvas.size();
    return PlaneSize{static_cast<float>(sides[1]), static_cast<float>(sides[0])};
  }

  void write(const Box& box, const PlaneSize& canvas, float* row) const {
    layout_.write(box, row);
    for (int axis = 0; bbox_normalized && axis < 2; ++axis) {
      row[layout_.start(axis)] *= 1 / canvas[static_cast<size_t>(axis)];
      row[layout_.stop(axis)] *= 1 / canvas[static_cast<size_t>(axis)];
    }
  }

  BoxLayout layout_ = BoxLayout::of_plane(true);
  float shrink_ = 0;
};

}  // namespace

OperatorSpec bbox_rotate() {
  using Op = BoxRotate;
  return describe<Op>("bbox_rotate", "Turns bounding boxes as rotate turns their image.")
      .input("boxes", "FLOAT, n x 4.")
      .optional_input("labels", "INT32, n or n x k; those of boxes that are removed are removed too.")
      .param("angle", &Op::angle, "Degrees, counter-clockwise, as rotate takes them.")
      .required()
      .param("input_shape", &Op::input_shape, "Size of the image before it is turned.")
      .required()
      .param("shape_layout", &Op::shape_layout, "Which of these is what: W and H among others.")
      .param("bbox_layout", &Op::bbox_layout, "Which number of a box is what: a permutation of xyXY or xyWH.")
      .param("bbox_normalized", &Op::bbox_normalized,
             "Whether boxes are parts of the image's width and height; else pixels.")
      .param("keep_size", &Op::keep_size, "Whether the turned image has the extents of the input.")
      .param("size", &Op::size, "Height and width of the turned image, if rotate is given them.")
      .param("mode", &Op::mode,
             "`expand`: a box about all of the turned box; `fixed`: of the old width and height; `halfway`: "
             "between these.")
      .choices({"expand", "fixed", "halfway"})
      .param("remove_threshold", &Op::remove_threshold,
             "Boxes of which less than this part lies on the turned image are removed.")
      .outputs(
          "The boxes that are left, in the same form, and their labels. Equal on all targets but for the "
          "last "
          "bit of the C library's sine and cosine.")
      .matches("DALI bbox_rotate")
      .close()
      .build();
}

}  // namespace forebay::operators
