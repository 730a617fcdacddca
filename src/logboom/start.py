"""The way into the command line: allocators are told how to behave before anything is loaded that uses them."""

from logboom.base.allocators import tune_allocators


def main() -> None:
    tune_allocators()
    # Not at the top: by then the allocators have read their options.
    from logboom.cli import main as run  # noqa: PLC0415

    run()
