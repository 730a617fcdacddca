"""SAML single sign-on as a service provider: sends requests, checks responses, makes and reads metadata.

Pure functions of settings, bytes and the time; independent of HTTP, users and the store.
"""
