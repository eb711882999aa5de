"""What the tests of abut-datasets have in common: its calls against the server of download_server.py."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from download_server import LARGE, MESH, Server

PROGRAM = os.path.abspath(sys.argv.pop(1))


class DownloadCase(unittest.TestCase):
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
        self.expect_object(result, name, LARGE)

    def expect_object(self, result, name, texture):
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assertEqual((self.out / name / "google_16k/textured.obj").read_bytes(), MESH)
        self.assertTrue((self.out / name / "google_16k/texture.png").read_bytes() == texture, "another texture")
        self.assertEqual(self.check().returncode, 0)
        left = [file.name for file in (self.out / ".abut").iterdir() if file.suffix != ".json"]
        self.assertEqual(left, ["lock"])

    def expect_refused(self, result, words, code=1):
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("abut-datasets: error: "), result.stderr)
