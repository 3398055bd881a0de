"""Lists the zips of a folder with Python's readers, libarchive and Info-ZIP: JSON by file, reader and member."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

import libarchive
from stream_unzip import stream_unzip


def member(name, content):
    return [name, len(content), hashlib.sha256(content).hexdigest()]


def by_zipfile(path):
    with zipfile.ZipFile(path) as archive:
        return [member(info.filename, archive.read(info)) for info in archive.infolist()]


def by_libarchive(reader):
    found = []
    with reader as archive:
        for entry in archive:
            name = entry.pathname + ("/" if entry.isdir and not entry.pathname.endswith("/") else "")
            found.append(member(name, b"".join(entry.get_blocks())))
    return found


def seekable(path):
    return by_libarchive(libarchive.file_reader(path))


def piped(path):
    """A pipe cannot be read from its end."""
    source, sink = os.pipe()

    def write():
        with open(path, "rb") as file, os.fdopen(sink, "wb") as pipe:
            try:
                shutil.copyfileobj(file, pipe)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return by_libarchive(libarchive.fd_reader(source))
    finally:
        os.close(source)
        writer.join()


def by_stream_unzip(path):
    with open(path, "rb") as file:
        chunks = iter(lambda: file.read(7), b"")
        return [
            member(name.decode(), b"".join(content)) for name, _, content in stream_unzip(chunks)
        ]


def by_info_zip(path):
    folder = tempfile.mkdtemp()
    try:
        unzip = ["unzip", "-o", "-q", path, "-d", folder]
        done = subprocess.run(unzip, capture_output=True, stdin=subprocess.DEVNULL)
        # 1: a warning, as of an archive without members.
        if done.returncode > 1:
            raise ValueError(done.stderr[-200:].decode(errors="replace"))
        found = []
        for base, folders, files in os.walk(folder):
            at = os.path.relpath(base, folder)
            found += [member(os.path.join(at, name) + "/", b"") for name in folders]
            for name in files:
                with open(os.path.join(base, name), "rb") as file:
                    found.append(member(os.path.join(at, name), file.read()))
        return found
    finally:
        shutil.rmtree(folder)


READERS = {
    "Python zipfile": by_zipfile,
    "libarchive": seekable,
    "libarchive from a pipe": piped,
    "stream-unzip": by_stream_unzip,
}
if shutil.which("unzip"):
    READERS["Info-ZIP"] = by_info_zip


def read(reader, path):
    try:
        return {"members": reader(path)}
    except Exception as failure:
        return {"failure": f"{type(failure).__name__}: {failure}"}


folder = sys.argv[1]
print(
    json.dumps(
        {
            name: {reader: read(READERS[reader], os.path.join(folder, name)) for reader in READERS}
            for name in sorted(os.listdir(folder))
        }
    )
)
