"""How much there is: events and bytes of a selector."""

from logboom.readers.loki.asking import Asker
from logboom.readers.loki.browse import count_streams, read_optional
from logboom.readers.loki.replies import show
from logboom.web.reply import Reply


def answer_stats(asker: Asker) -> Reply:
    """Streams, blocks, events, and the share of these events in the size of what is stored."""
    from_ns, to_ns = asker.asked.read_range()
    selection = read_optional(asker.asked.find("query"))
    census = count_streams(asker, selection, from_ns, to_ns)
    entries = sum(count for _, count in census.streams)
    question = asker.make_question(selection.query, from_ns, to_ns)
    indexes = asker.search.indexes(asker.principal, question, cancelled=asker.cancelled).found
    stored, size = sum(each.events for each in indexes), sum(each.bytes for each in indexes)
    return show(
        {
            "streams": len(census.streams),
            "chunks": census.blocks,
            "entries": entries,
            "bytes": round(size * entries / stored) if stored else 0,
        }
    )
