"""What people write by mistake or by habit, and what they meant."""
