"""Sends a notification to a channel of any kind."""

from logboom.alerts.sending.forms import make_post
from logboom.alerts.sending.notification import Notification
from logboom.alerts.sending.receipt import Receipt
from logboom.base.clock import NS_PER_S, Clock
from logboom.base.process.offload import Offload
from logboom.control.saved.channels import Channel

TEST_WINDOW_S = 300


class Sender:
    """Sends notifications of any kind. Runs on the event loop; mail is sent on its own threads."""

    def __init__(self, mail: Offload, base_url: str, clock: Clock) -> None:
        self._mail = mail
        self._clock = clock
        self.base_url = base_url
        """The URL of the pages of this service."""

    async def send(self, channel: Channel, notification: Notification) -> Receipt:
        """Make one attempt within a time limit; never raises because of the receiver."""
        # Imported when something is sent: most servers start long before.
        if channel.kind == "email":
            from logboom.alerts.sending.mail import send_mail  # noqa: PLC0415

            return await self._mail.run(send_mail, channel, notification)
        from logboom.alerts.sending.http import send_post  # noqa: PLC0415

        return await send_post(make_post(channel, notification))

    async def test(self, channel: Channel, by: str) -> Receipt:
        """Send a test message."""
        now_ns = self._clock()
        notification = Notification(
            key=f"test-{channel.id}-{now_ns}",
            alert_id=f"test-{channel.id}",
            alert="Test of a Logboom channel",
            description=f"{by} is testing the channel {channel.name}. Nothing needs to be done.",
            state="firing",
            severity="info",
            operator="above",
            value=1,
            threshold=0.0,
            since_ns=now_ns,
            from_ns=now_ns - TEST_WINDOW_S * NS_PER_S,
            to_ns=now_ns,
            query="",
            link=f"{self.base_url}/#/alerts",
            labels={"test": "true"},
            is_test=True,
        )
        return await self.send(channel, notification)
