"""The syslog listener: messages over UDP, TCP and TLS, collected and stored like every other event.

`framing` splits streams into messages, `packets` opens compressed and chunked datagrams, `udp` and `tcp` receive, `collector` stores, `listener` follows the settings.
`datagrams` defines how datagrams are taken from a socket, `_receive` does the same in C, in a thread that needs no
interpreter lock.
"""
