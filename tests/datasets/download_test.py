"""abut-datasets against a server on loopback that also truncates, stalls, redirects, refuses, and serves damaged
and hostile archives. Usage: download_test.py ABUT_DATASETS [unittest options]"""

import hashlib
import json
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from download_server import HOSTILE, LARGE, MESH, WHOLE, Server, mug, tar

PROGRAM = os.path.abspath(sys.argv.pop(1))


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

    def test_a_list_that_is_the_same_on_every_page(self):
        words = self.words("ok", object_list="BASE/one_page/{page}")
        listed = self.run_words([PROGRAM, "list", "test", "--manifest", words[4]])
        self.assertEqual((listed.stdout, len(self.server.requests)), ("mug\n", 2), listed.stderr)

    def test_an_object_named_twice_is_one(self):
        self.assertIn("1 downloaded, 0 there already", self.download("ok", "--objects", "mug,mug").stdout)

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

    def test_a_part_of_other_content_is_not_joined(self):
        for kind in ("part_of_other_tag", "part_of_other_date", "part_without_tag"):
            with self.subTest(kind):
                self.server.reset()
                self.expect_object(self.download(kind, "--objects", kind), kind, LARGE[::-1])
                self.assertEqual([wanted for _, wanted in self.server.requests], [None, "bytes=700-", None])

    def test_a_part_may_leave_out_the_date(self):
        self.expect_mug(self.download("part_without_date", "--objects", "mug"))
        self.assertEqual([wanted for _, wanted in self.server.requests], [None, "bytes=700-"])

    def test_a_part_that_is_not_all_of_the_rest_goes_on(self):
        self.expect_mug(self.download("part_of_part", "--objects", "mug", "--tries", "5"))
        self.assertEqual([wanted for _, wanted in self.server.requests],
                         [None, *(f"bytes={700 + 400_000 * i}-" for i in range(3))])

    def test_a_part_that_contradicts_itself_is_fetched_anew(self):
        self.expect_mug(self.download("part_longer_than_told", "--objects", "mug"))
        self.assertEqual([wanted for _, wanted in self.server.requests], [None, "bytes=700-", None])

    def test_a_part_that_was_not_asked_for_is_refused(self):
        self.expect_refused(self.download("part_unasked", "--objects", "mug"), "that was not asked for (HTTP 206)")
        self.assertFalse((self.out / "mug").exists())

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
                refused = self.download(kind, "--objects", "mug")
                self.expect_refused(refused, words)
                self.assertIn("http://", refused.stderr)
                self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("evil")], [])
                self.assertEqual(sorted(p.name for p in self.out.iterdir()), [".abut"])
                self.assertEqual([p.name for p in (self.out / ".abut").iterdir()], ["lock"])
        self.assertFalse({name for name in set(os.listdir("/tmp")) - before if "evil" in name})

    def test_whole_archives_of_every_form(self):
        for kind in WHOLE:
            with self.subTest(kind):
                self.expect_mug(self.download(f"whole/{kind}", "--objects", "mug"))

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

    def test_what_is_no_digest_is_refused(self):
        for key, digest in (("mug/google_16k", "0" * 63), ("mug/google_16k", "g" * 64), ("mug/google_16k", "A" * 64),
                            ("mug/google_16k", ""), ("mug/google_61k", "0" * 64), ("mug", "0" * 64)):
            with self.subTest(key=key, digest=digest):
                self.expect_refused(self.download("ok", sha256={key: digest}), "manifest.json: sha256: ", 2)

    def test_nothing_is_written_through_links(self):
        outside = self.folder / "outside"
        outside.mkdir()
        for link in ("mug", "bowl/google_16k"):
            (self.out / link).parent.mkdir(parents=True, exist_ok=True)
            (self.out / link).symlink_to(outside)
            name = link.split("/")[0]
            self.expect_refused(self.download("ok", "--objects", name), f"{self.out / link}: it is a link")
        self.assertEqual(list(outside.iterdir()), [])
        hidden = self.folder / "other"
        hidden.mkdir()
        (hidden / ".abut").symlink_to(outside)
        words = self.words("ok", "--objects", "pan")
        words[words.index("--out") + 1] = str(hidden)
        self.expect_refused(self.run_words(words), ".abut: it is a link", 2)
        self.assertEqual(list(outside.iterdir()), [])

    def test_texts_of_manifests_steer_no_terminal(self):
        result = self.download("ok", "--objects", "mug", title="\x1b[2Jred\x07", licence="CC\x9b31m\x7f")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(r"\x1b[2Jred\x07, google_16k: 1 object; licence: CC\x9b31m\x7f", result.stdout)
        result = self.download("ok", homepage="\x1b[31mhome", object_list="")
        self.expect_refused(result, r"see \x1b[31mhome", 2)

    def test_what_lies_in_the_hidden_folder_is_not_followed(self):
        (self.out / ".abut").mkdir(parents=True)
        outside = self.folder / "outside"
        outside.write_text("kept")
        (self.out / ".abut/mug.google_16k.part").symlink_to(outside)
        os.mkfifo(self.out / ".abut/pan.google_16k.part")
        result = self.download("ok", "--objects", "mug,pan")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(outside.read_text(), "kept")

    def test_what_killed_runs_left_is_removed(self):
        self.expect_mug(self.download("ok", "--objects", "mug"))
        hidden = self.out / ".abut"
        for name in ("part", "part.tag"):
            (hidden / f"mug.google_16k.{name}").write_text("left")
        (hidden / "mug.google_16k.unpacked/mug").mkdir(parents=True)
        (hidden / ".mug.google_16k.json.4194305.0.partial").write_text("left")
        result = self.download("ok", "--objects", "mug")
        self.assertIn("1 there already", result.stdout)
        self.expect_mug(result)

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

    def test_a_signal_is_heard_between_tries(self):
        self.server.left["/busy/mug.tgz"] = 99
        running = subprocess.Popen(self.words("busy", "--objects", "mug", "--tries", "20"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while len(self.server.requests) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)  # 4 s before the next try
        sent = time.monotonic()
        _, errors = running.communicate(timeout=30)
        self.assertLess(time.monotonic() - sent, 3)
        self.assertEqual((running.returncode, len(self.server.requests)), (130, 4), errors)
        self.assertIn("stopped by a signal", errors)

    def test_a_signal_is_heard_between_entries(self):
        running = subprocess.Popen(self.words("empty_files", "--objects", "mug"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        begun = self.out / ".abut/mug.google_16k.unpacked/mug/0.txt"
        deadline = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 130, errors)
        self.assertEqual([p.name for p in self.out.rglob("*")], [".abut", "lock"])

    def on_a_disk(self, size, commands):
        """Runs commands of a shell in self.out, a disk of its own."""
        self.out.mkdir(exist_ok=True)
        script = f"mount -t tmpfs -o size={size} tmpfs {self.out} && cd {self.out} && {commands}"
        if self.run_words(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(self.out)]).returncode != 0:
            self.skipTest("no file system may be mounted here")
        return self.run_words(["unshare", "-rm", "sh", "-c", script])

    def test_a_full_disk_ends_the_run(self):
        download = shlex.join(self.words("ok", "--objects", "mug,pan,bowl"))
        for size, left in (("1800k", "lock"),  # full while unpacking; below while downloading
                           ("800k", "lock mug.google_16k.part mug.google_16k.part.tag")):
            with self.subTest(size):
                self.server.reset()
                result = self.on_a_disk(size, f"{download}; echo code $?; ls .abut")
                self.assertRegex(result.stderr, r"^abut-datasets: error: .*: the disk is full \(No space left on "
                                                r"device\); free some space and run again to continue\n$")
                self.assertEqual(result.stdout.split("code 1\n")[-1].split(), left.split())
                self.assertEqual([path for path, _ in self.server.requests], ["/ok/mug.tgz"])

    def test_a_transfer_goes_on_when_there_is_space(self):
        download = shlex.join(self.words("ok", "--objects", "mug"))
        result = self.on_a_disk("800k", f"{download}; mount -o remount,size=8m {self.out} && {download}")
        self.assertIn("1 downloaded", result.stdout, result.stderr)
        self.assertRegex(self.server.requests[-1][1], r"bytes=\d{6}-")

    def test_a_disk_that_is_read_only(self):
        words = self.words("ok", "--objects", "mug")
        words[words.index("--out") + 1] = "new/set"
        result = self.on_a_disk("1m", f"mount -o remount,ro {self.out} && {shlex.join(words)}")
        self.assertIn("set/.abut: cannot make this folder: Read-only file system", result.stderr)

    def test_sets_that_are_built_in(self):
        result = self.run_words([PROGRAM, "list"])
        self.assertEqual(result.returncode, 0)
        for words in ("ycb: YCB", "gso: Google", "bop: BOP", "CC BY 4.0"):
            self.assertIn(words, result.stdout)


if __name__ == "__main__":
    unittest.main()
