"""What sets some events apart from the rest."""
