"""abut-datasets against a server on loopback that also truncates, stalls, redirects, refuses, and serves damaged
and hostile archives. Usage: download_test.py ABUT_DATASETS [unittest options]"""

import hashlib
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from download_case import PROGRAM, DownloadCase
from download_server import HOSTILE, LARGE, MESH, WHOLE, tar


class Download(DownloadCase):
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
        for words in "x*", "mug,x*", "m*,x*":
            self.expect_refused(self.download("ok", "--objects", words), "none of which matches 'x*'", 2)
        self.assertIn("bowl", self.download("nothing", "--objects", "m*,bowl").stderr)

    def test_a_name_is_no_pattern_whatever_its_characters(self):
        for word, objects in (("mug[1]", 1), ("mug[2]", 0), ("mug*", 2)):
            with self.subTest(word):
                result = self.download("ok", "--objects", word, object_list="BASE/brackets", archives_hold_object_folder=False)
                self.assertIn(f"{objects} object" if objects else "none of which matches", result.stdout + result.stderr)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), [".abut", "mug1", "mug[1]"])

    def test_lists_by_page_and_names_with_blanks(self):
        words = self.words("spaces", object_list="BASE/pages/{page}", archives_hold_object_folder=False)
        listed = self.run_words([PROGRAM, "list", "test", "--manifest", words[4]])
        self.assertEqual(listed.stdout, "object 1\nobject 2\n", listed.stderr)
        sets = self.run_words([PROGRAM, "list", "--manifest", words[4]])
        self.assertTrue(sets.stdout.startswith("test: Test\n"), sets.stdout)
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

    def test_a_replacement_that_broke_off_is_told(self):
        self.expect_mug(self.download("ok", "--objects", "mug"))
        record, = (self.out / ".abut").glob("*.json")
        record.rename(record.with_suffix(".old"))
        checked = self.check()
        self.assertEqual(checked.returncode, 1, checked.stdout)
        self.assertIn("a download broke off as it replaced files; download it again", checked.stdout + checked.stderr)

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
        self.expect_refused(self.download("ok", object_list="BASE/empty_list"), "the list names no objects", 2)
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

    def test_texts_of_manifests_steer_no_terminal(self):
        result = self.download("ok", "--objects", "mug", title="\x1b[2Jred\x07", licence="CC\x9b31m\x7f")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(r"\x1b[2Jred\x07, google_16k: 1 object; licence: CC\x9b31m\x7f", result.stdout)
        result = self.download("ok", homepage="\x1b[31mhome", object_list="")
        self.expect_refused(result, r"see \x1b[31mhome", 2)

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

    def test_secrets_of_addresses_are_neither_printed_nor_kept(self):
        host = f"127.0.0.1:{self.server.server_port}"

        def run(kind, query, **more):
            address = f"http://user:WORD@{host}/{kind}/{{object}}.tgz?{query}"
            result = self.download("", "--objects", "mug", variants=[{"name": "google_16k", "address": address}], **more)
            self.assertNotRegex(result.stdout + result.stderr, "user|WORD|TOKEN")
            return result

        for kind in ("nothing", "damaged", "page", "loop"):
            self.expect_refused(run(kind, "sig=TOKEN"), f"http://{host}/{kind}/mug.tgz: ")
        listed = self.run_words([PROGRAM, "list", "test", "--manifest", self.manifest(
            "ok", object_list=f"http://user:WORD@{host}/nothing?sig=TOKEN")])
        self.expect_refused(listed, f"http://{host}/nothing: is not there", 2)

        self.expect_mug(run("ok", "sig=TOKEN"))
        record = self.out / ".abut/mug.google_16k.json"
        self.assertNotRegex(record.read_text(), "user|WORD|TOKEN")
        self.assertIn("1 there already", run("ok", "sig=TOKEN").stdout)
        self.assertIn("1 downloaded", run("ok", "sig=TOKEN2").stdout)  # another address
        old = json.loads(record.read_text())
        del old["query_digest"]
        old["address"] = f"http://user:WORD@{host}/ok/mug.tgz?sig=TOKEN"  # as older versions kept it
        record.write_text(json.dumps(old))
        self.assertIn("1 there already", run("ok", "sig=TOKEN").stdout)
        self.assertNotRegex(record.read_text(), "user|WORD|TOKEN")

    def test_an_object_that_its_address_does_not_show_is_named(self):
        address = f"http://127.0.0.1:{self.server.server_port}/nothing?id={{object}}"
        result = self.download("", "--objects", "mug", variants=[{"name": "google_16k", "address": address}])
        self.expect_refused(result, "error: mug: http://")

    def test_sets_that_are_built_in(self):
        result = self.run_words([PROGRAM, "list"])
        self.assertEqual(result.returncode, 0)
        for words in ("ycb: YCB", "gso: Google", "bop: BOP", "CC BY 4.0"):
            self.assertIn(words, result.stdout)


if __name__ == "__main__":
    unittest.main()
