"""Writes files of results."""
import os
import stat


def write(path, text):
    """As write_file of src/base/file.hpp: links are followed; a regular file is replaced by a whole one, or stays as it was on any failure; a device, a pipe or
    an open descriptor (/dev/stdout) gets the text itself."""
    path = os.fspath(path)
    for _ in range(40):
        if not os.path.islink(path):
            break
        if os.path.realpath(os.path.dirname(path)).startswith("/proc/"):
            return write_in_place(path, text)
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    mode = None
    if os.path.lexists(path):
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            return write_in_place(path, text)
        if not os.access(path, os.W_OK):
            raise PermissionError(f"cannot write '{path}'")
    temporary = f"{path}.tmp.{os.getpid()}"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "w", encoding="utf-8") as file:
        try:
            if mode is not None:
                os.fchmod(file.fileno(), mode & 0o777)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def write_in_place(path, text):
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "w", encoding="utf-8") as file:
        file.write(text)
