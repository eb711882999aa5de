"""What abut-datasets does with the folder of a set: moves, records, links, checks; runs that are stopped, killed or without
space. Usage: downloaded_set_test.py ABUT_DATASETS [unittest options]"""

import os
import shlex
import signal
import subprocess
import time
import unittest

from download_case import DownloadCase
from download_server import MANY_EMPTY, MESH, WHOLE, mug, tar


class DownloadedSet(DownloadCase):
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

    def test_what_lies_in_the_hidden_folder_is_not_followed(self):
        (self.out / ".abut").mkdir(parents=True)
        outside = self.folder / "outside"
        outside.write_text("kept")
        (self.out / ".abut/mug.google_16k.part").symlink_to(outside)
        os.mkfifo(self.out / ".abut/pan.google_16k.part")
        result = self.download("ok", "--objects", "mug,pan")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(outside.read_text(), "kept")

    def test_records_and_locks_that_are_links_are_not_written(self):
        hidden = self.out / ".abut"
        hidden.mkdir(parents=True)
        outside = self.folder / "outside"
        for name, code in (("mug.google_16k.json", 1), ("lock", 2)):
            (hidden / name).unlink(missing_ok=True)
            (hidden / name).symlink_to(outside)
            self.expect_refused(self.download("ok", "--objects", "mug"), f".abut/{name}: it is a link", code)
            self.assertFalse(outside.exists())
            self.assertFalse((self.out / "mug").exists())

    def test_only_tags_that_are_files_go_to_the_server(self):
        self.download("always_truncate", "--objects", "mug", "--tries", "1")
        tag, secret = self.out / ".abut/mug.google_16k.part.tag", self.folder / "secret"
        secret.write_text(tag.read_text())
        tag.unlink()
        tag.symlink_to(secret)
        self.server.reset()
        self.expect_mug(self.download("ok", "--objects", "mug"))
        self.assertEqual(self.server.requests, [("/ok/mug.tgz", None)])

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

    def test_check_goes_on_behind_damaged_records(self):
        self.download("ok")
        for name in "bowl", "mug":
            (self.out / f".abut/{name}.google_16k.json").write_text("{")
        (self.out / "pan/google_16k/texture.png").unlink()
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("\n"), 3, result.stderr)
        for name in "bowl", "mug":
            self.assertIn(f"{name}.google_16k.json: damaged; remove it, and download the object again", result.stderr)
        self.assertIn("2 files of 1 object, 3 not as downloaded", result.stdout)

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

    def test_an_archive_that_has_come_outlives_a_stop_while_it_is_unpacked(self):
        begun = self.out / ".abut/mug.google_16k.unpacked/mug/0.txt"
        part = self.out / ".abut/mug.google_16k.part"
        for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
            self.assertFalse(begun.exists())
            running = subprocess.Popen(self.words("empty_files", "--objects", "mug"), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 60
            while not begun.exists() and time.monotonic() < deadline:
                time.sleep(0.001)
            running.send_signal(number)
            _, errors = running.communicate(timeout=60)
            self.assertEqual(running.returncode, code, errors)
            self.assertEqual(part.stat().st_size, len(MANY_EMPTY))
            self.assertEqual([p.name for p in self.out.iterdir()], [".abut"])
        result = self.download("empty_files", "--objects", "mug")
        self.assertIn("1 downloaded", result.stdout, result.stderr)
        self.assertEqual([wanted for _, wanted in self.server.requests], [None, *[f"bytes={len(MANY_EMPTY)}-"] * 2])
        self.assertEqual(sorted(p.name for p in part.parent.iterdir()), ["lock", "mug.google_16k.json"])

    def test_what_is_no_whole_archive_is_not_taken_for_one(self):
        hidden = self.out / ".abut"
        hidden.mkdir(parents=True)

        def leave(content, tag='"one"'):
            self.server.reset()
            (hidden / "mug.google_16k.part").write_bytes(content)
            (hidden / "mug.google_16k.part.tag").write_text(tag)

        whole = WHOLE["one_block"]
        leave(whole)
        self.expect_mug(self.download("whole/one_block", "--objects", "mug"))
        self.assertEqual([wanted for _, wanted in self.server.requests], [f"bytes={len(whole)}-"])
        for content, tag in ((bytes(len(whole) + 1), '"one"'), (bytes(len(whole)), '"two"')):
            (self.out / ".abut/mug.google_16k.json").unlink()
            leave(content, tag)
            self.expect_mug(self.download("whole/one_block", "--objects", "mug"))
            self.assertIn(self.server.requests[-1][1], (None, f"bytes={len(whole)}-"))
        (self.out / ".abut/mug.google_16k.json").unlink()
        leave(bytes(len(whole)))  # damaged since: looked at as any other
        self.expect_refused(self.download("whole/one_block", "--objects", "mug"), "archive")
        self.expect_mug(self.download("whole/one_block", "--objects", "mug"))

    def serve(self, name, entries):
        """The address of an archive of (name, bytes)."""
        WHOLE[name] = tar(entries)
        self.addCleanup(WHOLE.pop, name)
        return f"whole/{name}"

    def holds(self, *files):
        self.assertEqual(sorted(str(p.relative_to(self.out)) for p in self.out.rglob("*")
                                if ".abut" not in p.parts and not p.is_dir()), sorted(files))

    def left(self):
        return sorted(p.name for p in (self.out / ".abut").iterdir())

    def test_an_object_is_moved_in_as_a_whole_or_not(self):
        parts = self.serve("parts", [("mug/a/a.obj", MESH), ("mug/b/b.obj", MESH)])
        target = self.out / "mug/b"
        target.parent.mkdir(parents=True)
        for make, words in ((lambda: target.symlink_to(self.folder), "mug/b: it is a link"),
                            (lambda: target.write_text("mine"), "mug/b: a folder should be here"),
                            (lambda: (target / "b.obj").mkdir(parents=True), "mug/b/b.obj: a file should be here")):
            make()
            self.expect_refused(self.download(parts, "--objects", "mug"), words)
            self.assertFalse((self.out / "mug/a").exists())
            if target.is_dir() and not target.is_symlink():
                (target / "b.obj").rmdir()
                target.rmdir()
            else:
                target.unlink()
        self.assertEqual(self.download(parts, "--objects", "mug").returncode, 0)
        self.holds("mug/a/a.obj", "mug/b/b.obj")
        self.assertEqual(len([wanted for _, wanted in self.server.requests if wanted is None]), 1)

    def test_files_that_a_newer_archive_has_no_more_are_removed(self):
        old = self.serve("old", [(f"mug/{name}", MESH) for name in ("a.obj", "b.obj", "c/c.obj", "d/d.obj")])
        new = self.serve("new", [("mug/a.obj", MESH + b"#")])
        self.download(old, "--objects", "mug")
        (self.out / "mug/mine.obj").write_bytes(MESH)
        (self.out / "mug/d/d.obj").write_bytes(MESH[::-1])  # the user's own since
        self.assertIn("1 downloaded", self.download(new, "--objects", "mug").stdout)
        self.holds("mug/a.obj", "mug/d/d.obj", "mug/mine.obj")
        self.assertFalse((self.out / "mug/c").exists())
        self.assertEqual(self.check().returncode, 0)
        self.assertEqual(self.left(), ["lock", "mug.google_16k.json"])

    def test_records_have_no_other_objects_files_removed(self):
        old = self.serve("old", [("mug/a.obj", MESH), ("mug/b.obj", MESH)])
        new = self.serve("new", [("mug/a.obj", MESH)])
        self.download(old, "--objects", "mug")
        (self.out / "bowl").mkdir()
        (self.out / "bowl/b.obj").write_bytes(MESH)
        (self.out / "mug/to").symlink_to(self.out / "bowl")
        record = self.out / ".abut/mug.google_16k.json"
        text = record.read_text()
        for path in ("bowl/b.obj", "mug/to/b.obj"):
            record.write_text(text.replace("mug/b.obj", path))
            self.assertIn("1 downloaded", self.download(new, "--objects", "mug").stdout)
            self.assertTrue((self.out / "bowl/b.obj").exists())
            self.download(old, "--objects", "mug")

    def test_a_move_that_breaks_off_leaves_no_record(self):
        old = self.serve("old", [("mug/a.obj", MESH), ("mug/b.obj", MESH), ("mug/c.obj", MESH)])
        new = self.serve("new", [("mug/a.obj", MESH[::-1]), ("mug/b.obj", MESH[::-1])])
        self.download(old, "--objects", "mug")
        b = self.out / "mug/b.obj"
        if self.run_words(["unshare", "-rm", "mount", "--bind", str(b), str(b)]).returncode != 0:
            self.skipTest("nothing may be mounted here")
        command = shlex.join(self.words(new, "--objects", "mug"))  # b is busy
        broken = self.run_words(["unshare", "-rm", "sh", "-c", f"mount --bind {b} {b} && {command}"])
        self.expect_refused(broken, "mug/b.obj: cannot write")
        self.assertEqual(((self.out / "mug/a.obj").read_bytes(), b.read_bytes()), (MESH[::-1], MESH))
        self.assertNotIn("mug.google_16k.json", self.left())
        for _ in range(2):
            again = self.download(new, "--objects", "mug")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(b.read_bytes(), MESH[::-1])
            self.holds("mug/a.obj", "mug/b.obj")
        self.assertIn("1 there already", again.stdout)
        self.assertEqual(self.left(), ["lock", "mug.google_16k.json"])

    def variants(self, **kinds):
        base = f"http://127.0.0.1:{self.server.server_port}"
        return [{"name": name, "address": f"{base}/{kind}/{{object}}.tgz"} for name, kind in kinds.items()]

    def test_variants_do_not_replace_each_others_files(self):
        low = self.serve("low", [("model.obj", MESH), ("licence.txt", b"free")])
        high = self.serve("high", [("model.obj", MESH[::-1]), ("licence.txt", b"free")])
        beside = self.serve("beside", [("fine.obj", MESH[::-1]), ("licence.txt", b"free")])
        more = {"archives_hold_object_folder": False, "variants": self.variants(low=low, high=high, beside=beside)}
        for variant in ("low", "beside"):
            result = self.download("", "--objects", "mug", "--variant", variant, **more)
            self.assertEqual(result.returncode, 0, result.stderr)
        refused = self.download("", "--objects", "mug", "--variant", "high", **more)
        self.expect_refused(refused, "mug/model.obj is of the variant 'low' and differs; choose another folder by --out")
        self.holds("mug/fine.obj", "mug/licence.txt", "mug/model.obj")
        self.assertEqual(self.check().returncode, 0)
        self.assertEqual(self.left(), ["lock", "mug.beside.json", "mug.low.json"])

    def test_names_with_dots_have_records_of_their_own(self):
        model = self.serve("model", [("model.obj", MESH)])
        variants = [{"name": name, "address": self.variants(x=model)[0]["address"]} for name in ("c", "b.c", "b%2Ec")]
        objects = (("a", "b.c"), ("a.b", "c"), ("a", "b%2Ec"))

        def get(name, variant):
            return self.download("", "--objects", name, "--variant", variant, archives_hold_object_folder=False,
                                 variants=variants)

        for times in ("1 downloaded", "1 there already"):
            for name, variant in objects:
                result = get(name, variant)
                self.assertIn(times, result.stdout, result.stderr)
        hidden = self.out / ".abut"  # as earlier versions called it
        (hidden / "a.b%2Ec.json").rename(hidden / "a.b.c.json")
        self.assertIn("1 downloaded", get("a.b", "c").stdout)
        for name, variant in objects:
            self.assertIn("1 there already", get(name, variant).stdout)
        self.assertIn("3 files of 3 objects, 0 not", self.check().stdout)

    def on_a_disk(self, size, commands):
        """Runs commands of a shell in self.out, a disk of its own."""
        self.out.mkdir(exist_ok=True)
        script = f"mount -t tmpfs -o size={size} tmpfs {self.out} && cd {self.out} && {commands}"
        if self.run_words(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(self.out)]).returncode != 0:
            self.skipTest("no file system may be mounted here")
        return self.run_words(["unshare", "-rm", "sh", "-c", script])

    def test_a_full_disk_ends_the_run(self):
        download = shlex.join(self.words("ok", "--objects", "mug,pan,bowl"))
        left = ["lock", "mug.google_16k.part", "mug.google_16k.part.tag"]
        for size in ("1800k", "800k"):  # full while unpacking, while downloading
            with self.subTest(size):
                self.server.reset()
                result = self.on_a_disk(size, f"{download}; echo code $?; ls .abut")
                self.assertRegex(result.stderr, r"^abut-datasets: error: .*: the disk is full \(No space left on "
                                                r"device\); free some space and run again to continue\n$")
                self.assertEqual(result.stdout.split("code 1\n")[-1].split(), left)
                self.assertEqual([path for path, _ in self.server.requests], ["/ok/mug.tgz"])

    def test_a_transfer_goes_on_when_there_is_space(self):
        download = shlex.join(self.words("ok", "--objects", "mug"))
        for size, begin in (("800k", r"bytes=\d{6}-"), ("1800k", rf"bytes={len(tar(mug()))}-")):
            self.server.reset()
            result = self.on_a_disk(size, f"{download}; mount -o remount,size=8m {self.out} && {download}")
            self.assertIn("1 downloaded", result.stdout, result.stderr)
            self.assertRegex(self.server.requests[-1][1], begin)

    def test_a_disk_that_is_read_only(self):
        words = self.words("ok", "--objects", "mug")
        words[words.index("--out") + 1] = "new/set"
        result = self.on_a_disk("1m", f"mount -o remount,ro {self.out} && {shlex.join(words)}")
        self.assertIn("set/.abut: cannot make this folder: Read-only file system", result.stderr)


if __name__ == "__main__":
    unittest.main()
