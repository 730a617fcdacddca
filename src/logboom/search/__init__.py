"""The one way out: who asks and in which words goes in, an answer comes out."""
