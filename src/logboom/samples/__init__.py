"""Sample data: the logs of a fictional web shop, with an incident whose cause can be found.

`generate.write_lines` is the entry point. Everything is a function of a seed and the time: nothing is read or stored.
"""
