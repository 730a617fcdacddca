"""The pages for people: built from `ui/` into `pages/` beside this file, and served from memory."""
