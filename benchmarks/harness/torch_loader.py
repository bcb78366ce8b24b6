"""A PyTorch DataLoader at its best for this work: one thread is the process itself, more are persistent workers."""

import torch


def open_loader(work, dataset):
    torch.set_num_threads(1)
    workers = 0 if work.threads == 1 or work.checked else work.threads
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=work.batch_size, shuffle=not work.checked, num_workers=workers,
        drop_last=True, persistent_workers=workers > 0,
    )
    return lambda: iter(loader)
