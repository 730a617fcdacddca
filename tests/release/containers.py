"""Carries out a Containerfile in a folder, without an image builder."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.release.roots import CommandService, Root

CONTINUED = re.compile(r"\\\n\s*")
READ_ONLY = """
mount --rbind "$1" "$1" && mount -o remount,ro,bind "$1" && mount --bind "$2" "$1/data" && mount -t tmpfs tmpfs "$1/tmp"
root=$1; shift 2; exec chroot "$root" "$@"
"""
"""In a mount namespace of its own: nothing but the volume and /tmp can be written."""


SAID = {
    *("ARG", "FROM", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE"),
    *("STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
}
"""Instructions that change no file."""


class Image:
    """A root that was built; `said` has what is said of its program, by instruction."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.said: dict[str, str] = {}

    def list_words(self, instruction: str) -> list[str]:
        """Return the words of a command in JSON, or of any other instruction."""
        text = self.said[instruction]
        return json.loads(text) if text.startswith("[") else shlex.split(text)

    def as_user(self, *command: str) -> list[str]:
        """Return the command as the image's user, without any right of root."""
        user, _, group = self.said["USER"].partition(":")
        who = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        rights = ["--no-new-privs", "--bounding-set=-all"]
        return [*who, *rights, "env", *self.list_words("ENV"), *command]


def build_image(containerfile: Path, context: Path, root: Root) -> Image:
    """Carry out every instruction; one that is not known is an error."""
    image = Image(root)
    text = re.sub(r"^#.*\n", "", containerfile.read_text(), flags=re.MULTILINE)
    for line in filter(str.strip, CONTINUED.sub(" ", text).splitlines()):
        word, _, rest = line.strip().partition(" ")
        if word == "COPY":
            source, target = rest.split()
            shutil.copytree(context / source, root.folder / target.lstrip("/"), symlinks=True)
        elif word == "RUN":
            root.run("sh", "-c", rest)
        else:
            assert word in SAID, line
            image.said[word] = rest
    return image


class ContainerService(CommandService):
    """The program of an image with a read-only root; its volume is `data`."""

    def __init__(self, image: Image, data: Path, log: Path) -> None:
        folder = str(image.root.folder)
        enter = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", folder, str(data)]
        program = image.as_user(*image.list_words("ENTRYPOINT"))
        super().__init__([*enter, *program], data, Path("/data"), log)
        self._image = image

    def check_health(self) -> int:
        """Return the status of the image's own health check."""
        told = json.loads(self._image.said["HEALTHCHECK"].partition("CMD ")[2])
        probe = [part.replace(":7300/", f":{self.port}/") for part in told]
        command = ["chroot", str(self._image.root.folder), *self._image.as_user(*probe)]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode
