"""The syslog listener: messages over UDP, TCP and TLS, collected and stored like every other event.

`framing` cuts streams into messages, `udp` and `tcp` receive, `listener` stores, and follows the settings.
"""
