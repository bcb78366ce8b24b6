"""Load for a server of the Open Inference Protocol over gRPC, the same for each: as load.cc, of ready messages.

    grpc_load.py PORT REQUESTS CONNECTIONS SECONDS RATE SEED

A thread and a channel a connection, one request at a time on each. Prints load.cc's JSON object. Its own time is that
of Python, several times load.cc's, and counts for nobody.
"""

import itertools
import json
import pathlib
import random
import struct
import sys
import threading
import time

import grpc

METHOD = "/inference.GRPCInferenceService/ModelInfer"
PATIENCE_S = 20.0  # for what is left when the time is over


def messages_in(path: pathlib.Path) -> list[bytes]:
    content, found, at = path.read_bytes(), [], 0
    while at < len(content):
        (length,) = struct.unpack_from("<I", content, at)
        at += 4
        found.append(content[at : at + length])
        at += length
    return found


def arrivals(seconds: float, rate: float, seed: int) -> list[float]:
    """When requests are due, from the beginning, in order."""
    drawn, due, at_s = random.Random(seed), [], 0.0
    while (at_s := at_s + drawn.expovariate(rate)) < seconds:
        due.append(at_s)
    return due


class Load:
    def __init__(self, port: int, requests: pathlib.Path, connections: int, seconds: float, rate: float,
                 seed: int) -> None:
        self.ready = threading.Barrier(connections, self.begin)  # all are connected
        self.target = f"127.0.0.1:{port}"
        self.messages = itertools.cycle(messages_in(requests))
        self.seconds = seconds
        self.due = iter(arrivals(seconds, rate, seed)) if rate > 0 else None
        self.lock = threading.Lock()
        self.latencies_s: list[float] = []
        self.refused = 0
        self.unanswered = 0
        self.last_s = 0.0
        self.begun_s = 0.0

    def next(self) -> tuple[float, bytes] | None:
        """When it is due, and a request."""
        with self.lock:
            message = next(self.messages)
            if self.due is not None:
                due_s = next(self.due, None)
                return None if due_s is None else (self.begun_s + due_s, message)
        now_s = time.monotonic()
        return (now_s, message) if now_s < self.begun_s + self.seconds else None

    def connection(self) -> None:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
        with grpc.insecure_channel(self.target, options) as channel:
            grpc.channel_ready_future(channel).result(PATIENCE_S)
            call = channel.unary_unary(METHOD)
            self.ready.wait(PATIENCE_S)
            while (asked := self.next()) is not None:
                due_s, message = asked
                time.sleep(max(0.0, due_s - time.monotonic()))
                self.take(call, due_s, message)

    def take(self, call: grpc.UnaryUnaryMultiCallable, due_s: float, message: bytes) -> None:
        left_s = self.begun_s + self.seconds + PATIENCE_S - time.monotonic()
        try:
            call(message, timeout=max(left_s, 0.001))
        except grpc.RpcError as error:
            with self.lock:
                if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                    self.unanswered += 1
                    return
                self.refused += 1
                if self.refused == 1:
                    print(error.code(), error.details(), file=sys.stderr)
            return
        with self.lock:
            self.last_s = time.monotonic()
            self.latencies_s.append(self.last_s - due_s)

    def begin(self) -> None:
        self.begun_s = time.monotonic()

    def run(self) -> None:
        threads = [threading.Thread(target=self.connection) for _ in range(self.ready.parties)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def found(self) -> dict[str, float]:
        ordered = sorted(self.latencies_s)
        mean_s = sum(ordered) / max(len(ordered), 1)

        def quantile_us(share: float) -> float:
            return 1e6 * ordered[int(share * (len(ordered) - 1) + 0.5)] if ordered else 0.0

        return {"answered": len(ordered), "refused": self.refused, "unanswered": self.unanswered,
                "seconds": self.last_s - self.begun_s, "mean_us": 1e6 * mean_s, "p50_us": quantile_us(0.5),
                "p90_us": quantile_us(0.9), "p99_us": quantile_us(0.99)}


def main() -> None:
    port, requests, connections, seconds, rate, seed = sys.argv[1:]
    load = Load(int(port), pathlib.Path(requests), int(connections), float(seconds), float(rate), int(seed))
    load.run()
    print(json.dumps(load.found()))


if __name__ == "__main__":
    main()
