"""What Python adds to the library's own time: overhead.py PEER FOLDER_OF_ASSETS

The same questions in C++ (python_peer) and in Python, in one run; answers are compared bit by bit first. Fails where a
batch of 100,000 pairs takes more than 1.15 times the processor's time that it does in C++, or a question 3 us more.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import abut

SINGLES, RUNS, N, BATCH_RUNS = 100, 200, 100_000, 5  # as python_peer has them
ROUNDS = 3
MAX_BATCH_RATIO = 1.15  # 0.97 to 1.05 measured on a busy machine; 1.05 promised
MAX_ADDED = 3  # us


def least(runs, clock, work):
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def native(peer, files, X_AB):
    """Seconds by name, and the answers."""
    with tempfile.TemporaryDirectory(dir=".") as work:
        poses, answers = pathlib.Path(work, "poses"), pathlib.Path(work, "answers")
        X_AB.tofile(poses)
        said = subprocess.run([peer, *files, poses, answers], check=True, capture_output=True, text=True).stdout
        return {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}, np.fromfile(answers)


def ours(A, B, X_AB):
    estimator, model = abut.Estimator("gumbel"), abut.Model("point")
    single = list(X_AB[:SINGLES])
    asks = {
        "separation": lambda X: abut.separation(A, B, X),
        "witness_derivative": lambda X: estimator(A, B, X),
        "wrench": lambda X: model.wrench(A, B, X),
    }
    seconds = {name: least(RUNS, time.perf_counter, lambda: [ask(X) for X in single]) / SINGLES
               for name, ask in asks.items()}
    seconds["batch"] = least(BATCH_RUNS, time.process_time, lambda: abut.witness_derivative(A, B, X_AB))
    return seconds


def main(peer, folder):
    files = [pathlib.Path(folder, name) for name in ("005_mug.h5", "001_box.h5")]
    random = np.random.default_rng(0)
    X_AB = np.hstack([random.normal(size=(N, 4)), random.uniform(-0.2, 0.2, (N, 3))])
    A, B = (abut.Body(abut.load(file)) for file in files)
    found = abut.witness_derivative(A, B, X_AB)
    answers = np.hstack([found.distance[:, None], found.p1, found.p2, found.n])
    del found

    theirs, python = [], []
    for _ in range(ROUNDS):  # in turns: others' work on the machine comes and goes
        seconds, expected = native(peer, files, X_AB)
        if not np.array_equal(answers.ravel(), expected):
            raise SystemExit("the answers are not those of C++")
        theirs.append(seconds)
        python.append(ours(A, B, X_AB))
    print("question,C++ us,Python us,added us,ratio")
    for name in python[0]:
        one, other = (min(seconds[name] for seconds in rounds) * 1e6 for rounds in (theirs, python))
        print(f"{name},{one:.2f},{other:.2f},{other - one:.2f},{other / one:.3f}")
        if name != "batch" and not other - one < MAX_ADDED:
            raise SystemExit(f"{name}: a question adds {other - one:.2f} us to what it takes in C++")
    print(f"batch: {N} derivatives, CPU time of all threads; the others: one question, wall time")
    if other / one > MAX_BATCH_RATIO:
        raise SystemExit(f"the batch takes {other / one:.2f} times what it does in C++")


main(*sys.argv[1:])
