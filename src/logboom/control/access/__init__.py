"""Access: who is asking, how they prove it, and what they may do."""
