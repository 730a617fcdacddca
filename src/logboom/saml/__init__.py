"""SAML single sign-on as a service provider: requests out, answers checked, metadata made and read.

Pure functions of settings, bytes and the time; nothing here knows of HTTP, users or the store.
"""
