"""Asks the ensemble for pictures, several at a time, and says where each request's time went."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tritonclient.http as triton

MODEL, INPUT, OUTPUT = "shapes", "picture", "classes"


class Answer:
    """The class that a picture is of, and milliseconds: of the request, of each step, of waiting for them."""

    def __init__(self, label, total_ms, parameters):
        self.label = label
        self.total_ms = total_ms
        steps = parameters["steps"]
        steps = json.loads(steps) if isinstance(steps, str) else steps
        self.steps = {step["model"]: (step["input_ns"] + step["compute_ns"] + step["output_ns"]) / 1e6 for step in steps}
        self.waiting_ms = sum(step["queue_ns"] for step in steps) / 1e6
        self.transport_ms = max(0.0, total_ms - self.waiting_ms - sum(self.steps.values()))


def ask(client, file):
    tensor = triton.InferInput(INPUT, [1, 1], "BYTES")
    tensor.set_data_from_numpy(np.array([[file]], np.object_))
    begun = time.perf_counter()
    result = client.infer(
        MODEL, [tensor], outputs=[triton.InferRequestedOutput(OUTPUT, class_count=1)], parameters={"timing": True}
    )
    total_ms = (time.perf_counter() - begun) * 1e3
    best = result.as_numpy(OUTPUT).ravel()[0].decode()  # "value:index:label"
    return Answer(best.split(":")[2], total_ms, result.get_response()["parameters"])


def ask_all(url, files, at_a_time=4):
    """An Answer for each file, in their order."""
    clients = [triton.InferenceServerClient(url) for _ in range(at_a_time)]

    def ask_share(number):
        return [ask(clients[number], file) for file in files[number::at_a_time]]

    with ThreadPoolExecutor(at_a_time) as threads:
        shares = list(threads.map(ask_share, range(at_a_time)))
    answers = [None] * len(files)
    for number, share in enumerate(shares):
        answers[number::at_a_time] = share
    return answers
