"""Terms: a query bound to a time and simplified, and the conditions and limits it runs under."""
