"""Archives, some of them hostile, and the server on loopback that misbehaves with them, of download_case.py."""

import gzip
import io
import json
import os
import socket
import tarfile
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MESH = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
YESTERDAY, TODAY = "Wed, 01 May 2024 00:00:00 GMT", "Thu, 02 May 2024 00:00:00 GMT"
LARGE = os.urandom(1 << 20)  # does not shrink, so that a part of the archive is a part of it


def tar(entries, mode="w:gz", form=tarfile.PAX_FORMAT):
    """entries: (name, bytes) or a TarInfo."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode, format=form) as archive:
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


def plain_tar(name="mug", texture=LARGE):
    """Without checksums, so that parts of two go together."""
    return tar([(f"{name}/google_16k/textured.obj", MESH), (f"{name}/google_16k/texture.png", texture)], "w")


def damaged():
    data = bytearray(tar(mug()))
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


END = 1536 + len(LARGE)  # of the entries of plain_tar()

# Archives that are whole.
WHOLE = {
    "one_block": plain_tar()[:END + 512],
    "two_blocks": plain_tar()[:END + 1024],
    "long_padding": plain_tar() + bytes(1 << 16),
    "padding_is_no_block": plain_tar() + bytes(100),
    "padded_gzip": gzip.compress(plain_tar() + bytes(1 << 16)),
    "bzip2": tar(mug(), "w:bz2"),
    "xz": tar(mug(), "w:xz"),
    "zip": zipped(mug()),
    "zip_in_utf8": zipped([*mug(), ("mug/caf\u00e9.txt", b"with a flag that says so")]),
    "tar_in_utf8": tar([*mug(), ("mug/caf\u00e9.txt", b"")]),
    "gnu": tar([*mug(), ("mug/" + "long" * 40 + "/a.txt", b"")], "w", tarfile.GNU_FORMAT),
    "folders": tar([special("mug", tarfile.DIRTYPE), special("mug/google_16k", tarfile.DIRTYPE), *mug()], "w"),
}

MANY_EMPTY = tar([("mug/a.obj", MESH), *((f"mug/{i}.txt", b"") for i in range(19_000))])

# What each hostile archive is, and what is said of it.
HOSTILE = {
    "climbs": (tar([("mug/a.obj", MESH), ("mug/../../evil.obj", MESH)]), "leads out of the folder"),
    "climbs_at_once": (tar([("../evil.obj", MESH)]), "leads out of the folder"),
    "absolute": (tar([("/tmp/abut_evil.obj", MESH)]), "absolute path"),
    "symlink": (tar([("mug/a.obj", MESH), special("mug/b", tarfile.SYMTYPE, "/etc/passwd")]), "is a link"),
    "through_symlink": (tar([special("mug/x", tarfile.SYMTYPE, "/tmp"), ("mug/x/evil.obj", MESH)]), "is a link"),
    "hardlink": (tar([("mug/a.obj", MESH), special("mug/b.obj", tarfile.LNKTYPE, "mug/a.obj")]), "is a link"),
    "hardlink_in_utf8": (tar([("mug/a.obj", MESH), special("mug/b.obj", tarfile.LNKTYPE, "mug/caf\u00e9.obj")]),
                         "is a link"),
    "hardlink_not_utf8": (tar([("mug/a.obj", MESH), special("mug/b.obj", tarfile.LNKTYPE, "mug/caf\udce9.obj")]),
                          "is a link"),
    "zip_not_utf8": (zipped([("mug/a.obj", MESH), ("mug/caf\u00e9.obj", MESH)]).replace(b"\xc3\xa9", b"\xff\xff"),
                     "cannot be read"),
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
    "many_folders": (tar([(f"mug/{i}/" + "a/" * 28 + "a.obj", MESH if i == 0 else b"") for i in range(700)]),
                     "more than 20000 files and folders"),
    "deep": (tar([("mug/" + "a/" * 40 + "a.obj", MESH)]), "too long"),
    "newline": (tar([("mug/a\nb.obj", MESH)]), "a name that is none"),
    "not_utf8": (tar([("mug/a.obj", MESH), ("mug/caf\udce9.obj", MESH)]), "not UTF-8"),
    "damaged": (damaged(), "damaged"),
    "cut": (tar(mug())[:1000], "damaged"),
    "cut_between_entries": (plain_tar()[:1024], "breaks off before the tar's end"),
    "cut_after_entries": (plain_tar()[:END], "breaks off before the tar's end"),
    "cut_and_packed": (gzip.compress(plain_tar()[:1024]), "breaks off before the tar's end"),
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
                return self.answer(b"", 416, [*headers, ("Content-Range", f"bytes */{len(body)}")])
            headers.append(("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}"))
            return self.answer(body[start:], 206, headers, cut, stall)
        return self.answer(body, 200, headers, cut, stall)

    def part(self, kind, name):
        """Breaks off once, then answers a range as `kind` has it."""
        body, other = plain_tar(name), plain_tar(name, LARGE[::-1])
        changes = kind in ("part_of_other_tag", "part_of_other_date", "part_without_tag")
        header = "Last-Modified" if "date" in kind else "ETag"
        old, new = (YESTERDAY, TODAY) if "date" in kind else ('"one"', '"two"')
        wanted = self.headers.get("Range")
        if kind == "part_unasked":
            return self.answer(body[:4096], 206, [("Content-Range", f"bytes 0-4095/{len(body)}")])
        if self.server.once(self.path):
            return self.answer(body, 200, [(header, old)], cut=700)
        now = [(header, new)] if changes else [(header, old)]
        whole = other if changes else body
        if not wanted:
            return self.answer(whole, 200, now)
        first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        end = min(len(whole), first + 400_000) if kind == "part_of_part" else len(whole)
        told = f"bytes {first}-{end - 1}/{len(whole)}"
        if kind == "part_longer_than_told":
            told = f"bytes {first}-{end - 1001}/{len(whole) - 1000}"
        headers = {"part_without_tag": [], "part_without_date": []}.get(kind, now)
        return self.answer(whole[first:end], 206, [*headers, ("Content-Range", told)])

    def do_GET(self):
        server = self.server
        server.requests.append((self.path, self.headers.get("Range")))
        kind = self.path.strip("/").split("/")
        name = kind[-1].split("?")[0].removesuffix(".tgz")
        body = tar(mug(name))
        if kind[0] == "list":
            return self.answer(json.dumps({"objects": ["bowl", "mug", "pan"]}).encode())
        if kind[0] == "pages":
            page = int(kind[1])
            return self.answer(json.dumps([{"name": f"object {page}"}]).encode(), 200 if page < 3 else 404)
        if kind[0] == "one_page":  # whatever the number
            return self.answer(json.dumps([{"name": "mug"}]).encode())
        if kind[0] == "brackets":
            return self.answer(json.dumps({"objects": ["mug1", "mug[1]"]}).encode())
        if kind[0] == "empty_list":
            return self.answer(json.dumps({"objects": []}).encode())
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
        if kind[0].startswith("part_"):
            return self.part(kind[0], name)
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
        if kind[0] == "empty_files":
            return self.ranged(MANY_EMPTY)
        if kind[0] == "whole":
            return self.ranged(WHOLE[kind[1]])
        if kind[0] in HOSTILE:
            return self.answer(HOSTILE[kind[0]][0])
        return self.answer(b"not here", 404)
