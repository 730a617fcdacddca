"""What distinguishes some events from the rest."""
