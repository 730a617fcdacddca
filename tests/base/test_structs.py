"""Types that threads decode: none of them is looked at for the first time when threads are there."""

import subprocess
import sys

import pytest

LOOKED_AT = """
import sys
import msgspec
import logboom.server
from logboom.base.structs import list_structs, prepare_structs

if sys.argv[1] == "prepared":
    prepare_structs()
looked_at = []

def watch(frame, event, _argument):
    if event == "call" and frame.f_code.co_name == "get_class_annotations":
        looked_at.append(frame)

kinds = list(list_structs(msgspec.Struct))
sys.setprofile(watch)
for kind in kinds:
    before = len(looked_at)
    try:
        msgspec.json.decode(b"{}", type=kind)
    except msgspec.ValidationError:
        pass
    except TypeError:
        del looked_at[before:]  # it cannot be decoded
sys.setprofile(None)
print(len(kinds) > 100, len(looked_at) > 0)
"""


@pytest.mark.parametrize(("state", "later"), [("prepared", False), ("as imported", True)])
def test_a_server_prepares_every_type_before_it_decodes(state: str, later: bool) -> None:
    command = [sys.executable, "-c", LOOKED_AT, state]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"True {later}\n"), done.stderr
