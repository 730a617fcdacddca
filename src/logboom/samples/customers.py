"""The customers of the shop, and what they look at."""

import random
from typing import NamedTuple

Random = random.Random

PRODUCTS = {
    "lamp-arc": 129.0,
    "lamp-desk": 49.9,
    "chair-oak": 189.0,
    "desk-standing": 549.0,
    "shelf-wall": 74.5,
    "rug-wool": 229.0,
    "vase-blue": 24.9,
    "sofa-linen": 1290.0,
    "mirror-round": 99.0,
    "clock-brass": 59.0,
}
PRODUCT_NAMES = list(PRODUCTS)
SEARCHES = (
    "lamp",
    "desk lamp",
    "oak chair",
    "rug",
    "gift",
    "sofa grey",
    "shelf",
    "lampe",
    "mirorr",
)
COUNTRIES = {
    "eu-west-1": (("DE", "EUR"), ("FR", "EUR"), ("GB", "GBP"), ("CH", "CHF")),
    "us-east-1": (("US", "USD"), ("CA", "CAD"), ("BR", "BRL")),
    "ap-south-1": (("IN", "INR"), ("SG", "SGD"), ("AU", "AUD")),
}
PLANS = ("guest", "guest", "member", "member", "gold")
NETWORKS = {"eu-west-1": "198.51.100", "us-east-1": "203.0.113", "ap-south-1": "192.0.2"}
"""Networks reserved for examples."""
AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "ShopApp/7.3 (Android 14)",
)
USERS_PER_REGION = 900


class Customer(NamedTuple):
    """Somebody in front of a screen."""

    id: str
    plan: str
    country: str
    currency: str
    ip: str
    agent: str


def pick_customer(rng: Random, region: str) -> Customer:
    """Return a customer of the region; the same number is always the same person."""
    number = int(rng.random() * USERS_PER_REGION)
    country, currency = COUNTRIES[region][number % len(COUNTRIES[region])]
    return Customer(
        f"u{region[0]}{number:04d}",
        PLANS[number % len(PLANS)],
        country,
        currency,
        f"{NETWORKS[region]}.{number % 253 + 1}",
        AGENTS[number % len(AGENTS)],
    )
