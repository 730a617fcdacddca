"""An agent that knows nothing of the data finds the cause of the incident in the sample data."""

import pytest
from mcp import Client
from tests.mcp.agents import make_key, use_client
from tests.mcp.hunter import Hunter, Suspect
from tests.running import RunningService

MOST_CALLS = 12
MOST_BYTES = 30_000


@pytest.mark.parametrize("seed", [1, 2])
def test_the_cause_is_found(service: RunningService, env: str, seed: int) -> None:
    wanted = {"env": env, "seed": seed, "events": 20_000}
    assert service.client.post("/api/samples", json=wanted).status_code == 201

    async def hunt(client: Client) -> tuple[Hunter, Suspect]:
        hunter = Hunter(client)
        return hunter, await hunter.hunt()

    hunter, suspect = use_client(service.port, make_key(service, envs=(env,)), hunt)
    assert (suspect.field, suspect.value) == ("version", "2.4.1")
    evidence = "\n".join(hunter.evidence)
    assert "Busiest stretch: from " in evidence
    assert "deployed payments 2.4.1 to eu-west-1 (3 of 6 pods): audit trail for refunds" in evidence
    assert "rolled back payments 2.4.1 to 2.4.0 in eu-west-1" in evidence
    assert "Connection is not available, request timed out" in evidence
    assert "RefundAudit.open(RefundAudit.java:57)" in evidence
    assert len(hunter.calls) <= MOST_CALLS
    assert hunter.size_bytes <= MOST_BYTES
