"""A training loop in PyTorch, fed by a pipeline."""

import sys

import torch
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy


@pipeline_def(num_threads=2, device_id=0, seed=5)
def get_dali_pipeline(images_dir):
    images, labels = fn.readers.file(
        file_root=images_dir, random_shuffle=True, pad_last_batch=True, name="Reader"
    )
    images = fn.decoders.image_random_crop(images, device="cpu", output_type=types.RGB)
    images = fn.resize(images, resize_x=32, resize_y=32)
    images = fn.crop_mirror_normalize(
        images,
        crop_h=28,
        crop_w=28,
        mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
        std=[0.229 * 255, 0.224 * 255, 0.225 * 255],
        mirror=fn.random.coin_flip(),
    )
    return images, labels


train_data = DALIClassificationIterator(
    [get_dali_pipeline(sys.argv[1], batch_size=8)],
    reader_name="Reader",
    last_batch_policy=LastBatchPolicy.PARTIAL,
    auto_reset=True,
)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 28 * 28, 3))
loss_fn = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for epoch in range(2):
    seen = 0
    for i, data in enumerate(train_data):
        x, y = data[0]["data"], data[0]["label"]
        loss = loss_fn(model(x), y.squeeze(-1).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += len(x)
    print("epoch", epoch, "saw", seen, "loss", round(loss.item(), 3))
    assert i + 1 == len(train_data)
