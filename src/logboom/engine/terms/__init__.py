"""Terms: what is asked, bound to a moment and simplified, and the conditions and limits it runs under."""
