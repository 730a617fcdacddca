"""`python -m logboom` is the same as `logboom`."""

from logboom.cli import main

main()
