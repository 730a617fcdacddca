"""The throttle: guessing is slow, and no stranger keeps the owner out."""

from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Overloaded
from logboom.control.access.signin.logins import (
    MOST_BUCKETS,
    NETWORK_RATE,
    NEWCOMERS_RATE,
    OWN_RATE,
    REPEATERS_RATE,
    LoginThrottle,
)

START_NS = 1_700_000_000 * NS_PER_S


class World:
    """A throttle and a clock that stands where it is put."""

    def __init__(self) -> None:
        self.now_ns = START_NS
        self.throttle = LoginThrottle(lambda: self.now_ns)

    def try_login(
        self, username: str = "admin", address: str = "10.0.0.1", device: str = ""
    ) -> int:
        """0 when the try is granted, else the seconds to wait."""
        try:
            self.throttle.check(username, address, device)
        except Overloaded as error:
            return int(str(error.data["retry_after_s"]))
        return 0

    def use_up(self, username: str) -> int:
        """All tries of unknown networks at an account; returns how many there were."""
        granted = 0
        for number in range(200):
            while self.try_login(username, f"192.0.2.{number}") == 0:
                granted += 1
        return granted


def test_ten_tries_from_a_network_then_one_a_minute() -> None:
    world = World()
    assert [world.try_login() for _ in range(10)] == [0] * 10
    assert [world.try_login() for _ in range(10)] == [60] * 10
    world.now_ns += 40 * NS_PER_S
    assert world.try_login() == 20
    world.now_ns += 20 * NS_PER_S
    assert world.try_login() == 0
    assert world.try_login() == 60


def test_after_a_rest_all_tries_are_back() -> None:
    world = World()
    world.use_up("admin")
    world.now_ns += max(OWN_RATE.span_ns, NEWCOMERS_RATE.span_ns, REPEATERS_RATE.span_ns)
    assert [world.try_login() for _ in range(11)] == [0] * 10 + [60]


def test_wrong_passwords_from_some_networks_refuse_nobody_elsewhere() -> None:
    world = World()
    for number in range(20):
        for _ in range(50):
            world.try_login("admin", f"192.0.2.{number}")
    assert world.try_login("admin", "198.51.100.1") == 0


def test_an_account_is_counted_over_all_networks_and_in_any_case() -> None:
    world = World()
    assert world.use_up("Admin") == NEWCOMERS_RATE.tries + REPEATERS_RATE.tries
    assert world.try_login("aDMIN", "198.51.100.1") == NEWCOMERS_RATE.pause_ns // NS_PER_S
    assert world.try_login("other", "198.51.100.1") == 0


def test_a_newcomer_waits_seconds_while_networks_keep_guessing() -> None:
    world = World()
    networks = [f"192.0.2.{number}" for number in range(30)]
    for _ in range(600):
        for network in networks:
            world.try_login("admin", network)
        world.now_ns += NS_PER_S
    assert world.try_login("admin", "198.51.100.1") == 0


def test_a_network_is_counted_over_all_accounts() -> None:
    world = World()
    tries = NETWORK_RATE.tries
    assert [world.try_login(f"user{number}") for number in range(tries)] == [0] * tries
    assert world.try_login("one more") == 2
    assert world.try_login("one more", "10.0.0.2") == 0


@together(
    ("first", "second", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("", "", True),
        ("not an address", "another", False),
    ],
)
def test_neighbours_in_ipv6_share_their_tries(first: str, second: str, is_same: bool) -> None:
    world = World()
    for number in range(NETWORK_RATE.tries):
        world.try_login(f"user{number}", first)
    assert (world.try_login("user", second) > 0) is is_same


def test_a_refused_try_costs_nothing() -> None:
    world = World()
    world.use_up("admin")
    for _ in range(1000):
        world.try_login("admin", "198.51.100.1")
    assert world.try_login("other", "198.51.100.1") == 0
    world.now_ns += NEWCOMERS_RATE.pause_ns
    assert world.try_login("admin", "198.51.100.1") == 0


def test_success_costs_nothing_however_often() -> None:
    world = World()
    for _ in range(200):
        assert world.try_login() == 0
        world.throttle.succeed("admin", "10.0.0.1")


def test_success_gives_the_network_its_tries_back() -> None:
    world = World()
    for _ in range(9):
        world.try_login()
    assert world.try_login() == 0
    world.throttle.succeed("admin", "10.0.0.1")
    assert [world.try_login() for _ in range(11)] == [0] * 10 + [60]


def test_strangers_cannot_use_up_the_tries_of_a_network_that_signed_in_before() -> None:
    world = World()
    assert world.try_login() == 0
    world.throttle.succeed("admin", "10.0.0.1")
    world.use_up("admin")
    assert world.try_login("admin", "198.51.100.1") > 0
    assert world.try_login() == 0


def test_strangers_cannot_use_up_the_tries_of_a_device_that_signed_in_before() -> None:
    world = World()
    world.use_up("admin")
    for number in range(100):
        world.try_login(f"user{number}", "198.51.100.1")
        world.try_login("admin", "198.51.100.1")
    assert world.try_login("admin", "198.51.100.1") > 0
    tries = [world.try_login("admin", "198.51.100.1", "laptop") for _ in range(11)]
    assert tries == [0] * OWN_RATE.tries + [60]
    assert world.try_login("admin", "198.51.100.1", "phone") == 0


def test_a_clock_that_is_set_back_keeps_nobody_waiting_longer() -> None:
    world = World()
    world.use_up("admin")
    world.now_ns -= 3600 * NS_PER_S
    assert world.try_login() <= 10
    world.now_ns += NEWCOMERS_RATE.pause_ns
    assert world.try_login() == 0


def test_memory_is_bounded() -> None:
    world = World()
    for number in range(MOST_BUCKETS + 100):
        name, address = f"user{number}", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        world.try_login(name, address)
        world.throttle.succeed(name, address)
        world.try_login(name + "x" * 1000, address)
    throttle = world.throttle
    buckets = (throttle._own, throttle._networks, throttle._newcomers, throttle._repeaters)
    held = [set(throttle._known), *(set(each._full_ns) for each in buckets)]
    assert all(len(each) <= MOST_BUCKETS for each in held)
    assert all(len(key) < 200 for each in held for key in each)


@given(
    steps=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 255)), min_size=1, max_size=400),
)
def test_guesses_at_an_account_from_unknown_networks_are_bounded(
    steps: list[tuple[int, int]],
) -> None:
    world, granted = World(), 0
    for pause_s, network in steps:
        world.now_ns += pause_s * NS_PER_S
        granted += world.try_login("admin", f"10.0.{network}.1") == 0
    elapsed_ns = world.now_ns - START_NS
    shared = (NEWCOMERS_RATE, REPEATERS_RATE)
    assert granted <= sum(each.tries + elapsed_ns // each.pause_ns for each in shared)
    assert sum(each.tries for each in shared) == 150
    assert sum(3600 * NS_PER_S // each.pause_ns for each in shared) == 540


@given(waits=st.lists(st.integers(0, 50), max_size=50))
def test_whoever_waits_as_told_is_let_in(waits: list[int]) -> None:
    world = World()
    for tries in waits:
        for _ in range(tries):
            world.try_login()
        wait_s = world.try_login()
        world.now_ns += wait_s * NS_PER_S
        assert not wait_s or world.try_login() == 0
