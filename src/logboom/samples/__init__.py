"""Sample data: the logs of a web shop that does not exist, with an incident whose cause can be found.

`generate.write_lines` is the way in. All of it is a function of a seed and the time: nothing is read, nothing is kept.
"""
