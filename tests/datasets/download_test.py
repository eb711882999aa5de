"""abut-datasets against a server on loopback that also truncates, stalls, redirects, refuses, and serves damaged
and hostile archives. Usage: download_test.py ABUT_DATASETS [unittest options]"""

import hashlib
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM = sys.argv.pop(1)
MESH = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
LARGE = os.urandom(1 << 20)  # does not shrink, so that a part of the archive is a part of it


def tar(entries, mode="w:gz"):
    """entries: (name, bytes) or a TarInfo."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
            else:
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                archive.addfile(info, io.BytesIO(entry[1]))
    return data.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def zipped(entries):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def mug(name="mug"):
    return [(f"{name}/google_16k/textured.obj", MESH), (f"{name}/google_16k/texture.png", LARGE)]


def damaged():
    data = bytearray(tar(mug()))
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


# What each hostile archive is, and what is said of it.
HOSTILE = {
    "climbs": (tar([("mug/a.obj", MESH), ("mug/../../evil.obj", MESH)]), "leads out of the folder"),
    "climbs_at_once": (tar([("../evil.obj", MESH)]), "leads out of the folder"),
    "absolute": (tar([("/tmp/abut_evil.obj", MESH)]), "absolute path"),
    "symlink": (tar([("mug/a.obj", MESH), special("mug/b", tarfile.SYMTYPE, "/etc/passwd")]), "is a link"),
    "through_symlink": (tar([special("mug/x", tarfile.SYMTYPE, "/tmp"), ("mug/x/evil.obj", MESH)]), "is a link"),
    "hardlink": (tar([("mug/a.obj", MESH), special("mug/b.obj", tarfile.LNKTYPE, "mug/a.obj")]), "is a link"),
    "fifo": (tar([("mug/a.obj", MESH), special("mug/p", tarfile.FIFOTYPE)]), "neither a file nor a folder"),
    "device": (tar([("mug/a.obj", MESH), special("mug/p", tarfile.CHRTYPE)]), "neither a file nor a folder"),
    "twice": (tar([("mug/a.obj", MESH), ("mug/a.obj", MESH)]), "is there twice"),
    "over_folder": (tar([("mug/a/b.obj", MESH), ("mug/a", MESH)]), "is there twice"),
    "others_folder": (tar([("mug/a.obj", MESH), ("bowl/a.obj", MESH)]), "not in the folder"),
    "hidden_folder": (tar([(".abut/mug.google_16k.json", b"{}"), ("mug/a.obj", MESH)]), "not in the folder"),
    "bomb": (tar([("mug/a.obj", MESH), ("mug/zeros", bytes(200 << 20))]), "times the archive's size"),
    "xz_bomb": (tar([("mug/a.obj", MESH), ("mug/zeros", bytes(200 << 20))], "w:xz"), "times the archive's size"),
    "zip_bomb": (zipped([("mug/a.obj", MESH), ("mug/zeros", bytes(200 << 20))]), "times the archive's size"),
    "many": (tar([(f"mug/{i}.obj", b"") for i in range(20001)]), "more than 20000 files"),
    "deep": (tar([("mug/" + "a/" * 40 + "a.obj", MESH)]), "too long"),
    "newline": (tar([("mug/a\nb.obj", MESH)]), "a name that is none"),
    "not_utf8": (tar([("mug/a.obj", MESH), ("mug/caf\udce9.obj", MESH)]), "not UTF-8"),
    "damaged": (damaged(), "damaged"),
    "cut": (tar(mug())[:1000], "damaged"),
    "page": (b"<html>Sign in to this network</html>", "no archive"),
    "empty": (b"", "archive"),
    "no_file": (tar([]), "archive"),
    "no_mesh": (tar([("mug/readme.txt", b"hello")]), "has no mesh"),
    "other_program": (b"LRZI" + bytes(100), "no archive"),
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.reset()

    def reset(self):
        self.requests = []  # (path, Range header)
        self.left = {}  # of what goes wrong a number of times, by path
        self.tag = '"one"'

    def handle_error(self, *_):
        pass  # clients that break off are part of the test

    def once(self, path, times=1):
        """True the first `times` times."""
        self.left.setdefault(path, times)
        self.left[path] -= 1
        return self.left[path] >= 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body, status=200, headers=(), cut=None, stall=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if cut is None else body[:cut])
        self.wfile.flush()
        if stall:
            time.sleep(8)
        if cut is not None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def ranged(self, body, cut=None, stall=False):
        headers = [("ETag", self.server.tag), ("Accept-Ranges", "bytes")]
        wanted = self.headers.get("Range")
        if wanted and self.headers.get("If-Range") == self.server.tag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                return self.answer(b"", 416, headers)
            headers.append(("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}"))
            return self.answer(body[start:], 206, headers, cut, stall)
        return self.answer(body, 200, headers, cut, stall)

    def do_GET(self):
        server = self.server
        server.requests.append((self.path, self.headers.get("Range")))
        kind = self.path.strip("/").split("/")
        name = kind[-1].removesuffix(".tgz").split("?")[0]
        body = tar(mug(name))
        if kind[0] == "list":
            return self.answer(json.dumps({"objects": ["bowl", "mug", "pan"]}).encode())
        if kind[0] == "pages":
            page = int(kind[1])
            return self.answer(json.dumps([{"name": f"object {page}"}]).encode(), 200 if page < 3 else 404)
        if kind[0] == "bad_list":
            return self.answer(json.dumps({"objects": ["../evil"]}).encode())
        if kind[0] == "ok":
            return self.ranged(body)
        if kind[0] == "truncate":  # once in the middle, then goes on
            return self.ranged(body, cut=len(body) // 2 if server.once(self.path) else None)
        if kind[0] == "always_truncate":
            return self.ranged(body, cut=1000)
        if kind[0] == "no_ranges":  # answers a range with the whole
            return self.answer(body, 200, [("ETag", server.tag)], cut=1000 if server.once(self.path) else None)
        if kind[0] == "wrong_range":  # answers a range with another one
            if self.headers.get("Range"):
                return self.answer(body[5:], 206, [("Content-Range", f"bytes 5-{len(body) - 1}/{len(body)}")])
            return self.answer(body, 200, [("ETag", server.tag)], cut=1000 if server.once(self.path) else None)
        if kind[0] == "stall":
            return self.ranged(body, cut=1000, stall=True) if server.once(self.path) else self.ranged(body)
        if kind[0] == "busy":
            return self.answer(b"", 503) if server.once(self.path, 2) else self.ranged(body)
        if kind[0] == "redirect":
            return self.redirect("/ok/" + kind[-1])
        if kind[0] == "loop":
            return self.redirect("/loop/" + kind[-1])
        if kind[0] == "to_file":
            return self.redirect("file:///etc/passwd")
        if kind[0] == "spaces":
            return self.answer(zipped([("meshes/model.obj", MESH)]) if kind[-1] == "object%201.tgz" else b"", 200)
        if kind[0] in HOSTILE:
            return self.answer(HOSTILE[kind[0]][0])
        return self.answer(b"not here", 404)


class Download(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.server.reset()
        self.root = tempfile.TemporaryDirectory(prefix="abut_download_")
        self.folder = pathlib.Path(self.root.name)
        self.out = self.folder / "set"

    def tearDown(self):
        self.root.cleanup()

    def manifest(self, kind, **more):
        base = f"http://127.0.0.1:{self.server.server_port}"
        text = {
            "name": "test", "title": "Test", "licence": "CC0", "homepage": base, "object_list": f"{base}/list",
            "archives_hold_object_folder": True,
            "variants": [{"name": "google_16k", "address": f"{base}/{kind}/{{object}}.tgz"}],
        }
        text.update({key: value.replace("BASE", base) if isinstance(value, str) else value
                     for key, value in more.items()})
        file = self.folder / "manifest.json"
        file.write_text(json.dumps(text))
        return str(file)

    def words(self, kind, *more, **manifest):
        return [PROGRAM, "download", "test", "--manifest", self.manifest(kind, **manifest), "--out", str(self.out),
                *([] if "--stall" in more else ["--stall", "1"]), *more]

    def run_words(self, words):
        environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        return subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment)

    def download(self, kind, *more, **manifest):
        return self.run_words(self.words(kind, *more, **manifest))

    def check(self):
        return self.run_words([PROGRAM, "check", str(self.out)])

    def expect_mug(self, result, name="mug"):
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assertEqual((self.out / name / "google_16k/textured.obj").read_bytes(), MESH)
        self.assertEqual((self.out / name / "google_16k/texture.png").read_bytes(), LARGE)
        self.assertEqual(self.check().returncode, 0)
        left = [file.name for file in (self.out / ".abut").iterdir() if file.suffix != ".json"]
        self.assertEqual(left, ["lock"])

    def expect_refused(self, result, words, code=1):
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("abut-datasets: error: "), result.stderr)

    def test_all_objects_of_a_list(self):
        result = self.download("ok")
        for name in ("bowl", "mug", "pan"):
            self.expect_mug(result, name)
        self.assertIn("3 downloaded, 0 there already, 0 failed", result.stdout)
        self.assertIn(f"next: abut-preprocess {self.out} OUT", result.stdout)
        self.server.reset()
        again = self.download("ok")
        self.assertIn("0 downloaded, 3 there already, 0 failed", again.stdout)
        self.assertEqual([path for path, _ in self.server.requests], ["/list"])

    def test_patterns_and_names(self):
        self.expect_mug(self.download("ok", "--objects", "m*"))
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), [".abut", "mug"])
        self.server.reset()
        self.download("ok", "--objects", "bowl,pan")
        self.assertNotIn("/list", [path for path, _ in self.server.requests])
        self.expect_refused(self.download("ok", "--objects", "x*"), "none of which matches 'x*'", 2)

    def test_lists_by_page_and_names_with_blanks(self):
        words = self.words("spaces", object_list="BASE/pages/{page}", archives_hold_object_folder=False)
        listed = self.run_words([PROGRAM, "list", "test", "--manifest", words[4]])
        self.assertEqual(listed.stdout, "object 1\nobject 2\n", listed.stderr)
        result = self.run_words([*words, "--objects", "object 1"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.out / "object 1/meshes/model.obj").read_bytes(), MESH)

    def test_broken_off_goes_on(self):
        self.expect_mug(self.download("truncate", "--objects", "mug"))
        first, second = (wanted for _, wanted in self.server.requests)
        self.assertIsNone(first)
        self.assertRegex(second, r"bytes=\d{6}-")

    def test_next_run_goes_on(self):
        self.expect_refused(self.download("always_truncate", "--objects", "mug", "--tries", "1"),
                            "ends before the file does; run again")
        part = (self.out / ".abut/mug.google_16k.part").stat().st_size
        self.assertEqual(part, 1000)
        self.assertFalse((self.out / "mug").exists())
        self.server.reset()
        self.expect_mug(self.download("ok", "--objects", "mug"))
        self.assertEqual(self.server.requests, [("/ok/mug.tgz", "bytes=1000-")])

    def test_changed_content_is_fetched_anew(self):
        self.download("always_truncate", "--objects", "mug", "--tries", "1")
        self.server.tag = '"two"'
        self.expect_mug(self.download("ok", "--objects", "mug"))

    def test_servers_without_ranges(self):
        for kind in ("no_ranges", "wrong_range"):
            with self.subTest(kind):
                self.server.reset()
                self.expect_mug(self.download(kind, "--objects", kind), kind)

    def test_a_stall_is_given_up_and_tried_again(self):
        self.expect_mug(self.download("stall", "--objects", "mug"))
        self.server.reset()
        self.server.left["/stall/pan.tgz"] = 9
        self.expect_refused(self.download("stall", "--objects", "pan", "--tries", "1"), "stands still")

    def test_busy_servers_are_asked_again(self):
        self.expect_mug(self.download("busy", "--objects", "mug"))
        self.assertEqual(len(self.server.requests), 3)

    def test_redirects(self):
        self.expect_mug(self.download("redirect", "--objects", "mug"))
        self.expect_refused(self.download("loop", "--objects", "bowl"), "more than 10 redirects")
        self.expect_refused(self.download("to_file", "--objects", "bowl"), "rotocol")

    def test_not_there(self):
        result = self.download("nothing", "--objects", "mug")
        self.expect_refused(result, "is not there (HTTP 404)")

    def test_offline_is_clear(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{free.getsockname()[1]}"
        result = self.download("ok", object_list=address + "/list")
        self.expect_refused(result, "cannot be reached; is this machine online", 2)
        result = self.download("ok", object_list="http://no-such-host.invalid/list")
        self.expect_refused(result, "cannot be reached; is this machine online", 2)

    def test_hostile_archives_leave_nothing(self):
        before = set(os.listdir("/tmp"))
        for kind, (_, words) in HOSTILE.items():
            with self.subTest(kind):
                self.expect_refused(self.download(kind, "--objects", "mug"), words)
                self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("evil")], [])
                self.assertEqual(sorted(p.name for p in self.out.iterdir()), [".abut"])
                self.assertEqual([p.name for p in (self.out / ".abut").iterdir()], ["lock"])
        self.assertFalse({name for name in set(os.listdir("/tmp")) - before if "evil" in name})

    def test_one_failure_stays_its_own(self):
        result = self.download("ok", "--objects", "mug,../x")
        self.expect_refused(result, "'../x' cannot be the name", 2)
        self.expect_refused(self.download("ok", object_list="BASE/bad_list"), "cannot be the name", 2)
        self.server.left["/busy/bowl.tgz"] = 99
        result = self.download("busy", "--objects", "bowl,mug")
        self.expect_refused(result, "the server refuses (HTTP 503)")
        self.assertIn("1 downloaded, 0 there already, 1 failed", result.stdout)

    def test_digests_of_the_manifest(self):
        body = tar([("mug/a.obj", MESH)])
        HOSTILE["exact"] = (body, "")
        digest = hashlib.sha256(body).hexdigest()
        right = self.download("exact", "--objects", "mug", sha256={"mug/google_16k": digest})
        self.assertEqual(right.returncode, 0, right.stderr)
        there = self.download("exact", "--objects", "mug", sha256={"mug/google_16k": "0" * 64})
        self.expect_refused(there, "not what it should be: its SHA-256 is")
        del HOSTILE["exact"]
        (self.out / ".abut/mug.google_16k.json").unlink()
        wrong = self.download("ok", "--objects", "mug", sha256={"mug/google_16k": digest})
        self.expect_refused(wrong, "not what it should be: its SHA-256 is")

    def test_what_lies_in_the_hidden_folder_is_not_followed(self):
        (self.out / ".abut").mkdir(parents=True)
        outside = self.folder / "outside"
        outside.write_text("kept")
        (self.out / ".abut/mug.google_16k.part").symlink_to(outside)
        os.mkfifo(self.out / ".abut/pan.google_16k.part")
        result = self.download("ok", "--objects", "mug,pan")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(outside.read_text(), "kept")

    def test_records_name_files_of_their_set_alone(self):
        self.download("ok", "--objects", "mug")
        record = self.out / ".abut/mug.google_16k.json"
        text = record.read_text()
        for path in ("../outside", "/etc/passwd"):
            record.write_text(text.replace("mug/google_16k/textured.obj", path))
            self.assertIn("damaged", self.check().stderr)

    def test_check_names_what_differs(self):
        self.download("ok")
        (self.out / "mug/google_16k/textured.obj").write_bytes(MESH.replace(b"1", b"2"))
        (self.out / "pan/google_16k/texture.png").unlink()
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("\n"), 2)
        self.assertIn("mug/google_16k/textured.obj: not the file that was downloaded", result.stderr)
        self.assertIn("pan/google_16k/texture.png", result.stderr)
        self.assertIn("6 files of 3 objects, 2 not as downloaded", result.stdout)
        again = self.download("ok")  # of the same size: left alone
        self.assertIn("1 downloaded, 2 there already", again.stdout)

    def test_killed_and_stopped_runs_lose_nothing(self):
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 128 + signal.SIGTERM)):
            with self.subTest(number):
                self.server.reset()
                words = self.words("stall", "--objects", f"bowl{int(number)},mug{int(number)}", "--stall", "30")
                running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                part = self.out / f".abut/bowl{int(number)}.google_16k.part"
                deadline = time.monotonic() + 20
                while not part.exists() and time.monotonic() < deadline:
                    time.sleep(0.05)
                busy = self.download("ok", "--objects", "pan")
                self.expect_refused(busy, "another download is at work", 2)
                running.send_signal(number)
                _, errors = running.communicate(timeout=30)
                self.assertEqual(running.returncode, code, errors)
                result = self.download("ok", "--objects", f"bowl{int(number)},mug{int(number)}")
                self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.check().returncode, 0)

    def test_sets_that_are_built_in(self):
        result = self.run_words([PROGRAM, "list"])
        self.assertEqual(result.returncode, 0)
        for words in ("ycb: YCB", "gso: Google", "bop: BOP", "CC BY 4.0"):
            self.assertIn(words, result.stdout)


if __name__ == "__main__":
    unittest.main()
