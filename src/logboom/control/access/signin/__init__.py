"""Signing in: sessions, and protection against guessed passwords."""
