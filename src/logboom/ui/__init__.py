"""The web pages: built from `ui/` into `pages/` beside this file, and served from memory."""
