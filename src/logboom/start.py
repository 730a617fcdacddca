"""The entry point of the command line: configures the allocators before anything that uses them is loaded."""

from logboom.base.process.allocators import tune_allocators


def main() -> None:
    tune_allocators()
    # Imported here because at the top the allocators would already have read their options.
    from logboom.cli import main as run  # noqa: PLC0415

    run()
