"""The configuration of the ensemble: a pipeline that prepares pictures, and a model that takes what it gives."""

CONFIGURATION = """
platform: "ensemble"
max_batch_size: %(batch)d
input [ { name: "picture" %(picture)s } ]
output [ { name: "classes" data_type: TYPE_FP32 dims: [ 4 ] %(labels)s } ]
ensemble_scheduling {
  step [
    { model_name: "%(preparation)s" model_version: -1
      input_map { key: "picture" value: "picture" }
      output_map { key: "prepared" value: "prepared" } },
    { model_name: "resnet" model_version: -1
      input_map { key: "pictures" value: "prepared" }
      output_map { key: "classes" value: "classes" } }
  ]
}
"""


def configuration(preparation="preparation", picture="data_type: TYPE_STRING dims: [ 1 ]", labels="", batch=16):
    """`picture`: the type and extents of what comes in. `labels`: the field that names the classes, or nothing."""
    return CONFIGURATION % {"preparation": preparation, "picture": picture, "labels": labels, "batch": batch}
