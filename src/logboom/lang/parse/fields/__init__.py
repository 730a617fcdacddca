"""Tests of fields, and the values they compare with."""
