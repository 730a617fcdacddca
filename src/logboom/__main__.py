"""`python -m logboom` is the same as `logboom`."""

from logboom.start import main

main()
