"""The pattern library: what each name matches as a whole, and what it does not."""

import pytest
from tests.together import together

from logboom.formats.grok.expand import expand
from logboom.formats.grok.library import PATTERNS
from logboom.formats.patterns import compile_search

MATCHES = {
    "WORD": ["word", "w_0", "größer"],
    "NOTSPACE": ["a-b"],
    "DATA": ["", "any thing"],
    "GREEDYDATA": ["", "any\nthing"],
    "QUOTEDSTRING": ['"a \\" b"', "'x'", "`y`", '""'],
    "UUID": ["0f6b7a3e-6d3c-4a8a-9f0e-2b1d6c7e8f90"],
    "URN": ["urn:isbn:0451450523"],
    "INT": ["5", "-5", "+12"],
    "NUMBER": ["5", "-5.25", ".5"],
    "BASE16NUM": ["0xdeadBEEF", "ff"],
    "BASE16FLOAT": ["0x1.8", "ff"],
    "POSINT": ["1", "120"],
    "NONNEGINT": ["0", "120"],
    "BOOL": ["true", "Off"],
    "USERNAME": ["a.b-c_1"],
    "EMAILADDRESS": ["a.b+c@example.com"],
    "LOGLEVEL": ["INFO", "warn", "WARNING", "Error", "critical", "SEVERE", "notice"],
    "MAC": ["00:11:22:aa:bb:cc", "00-11-22-aa-bb-cc", "0011.22aa.bbcc"],
    "IPV4": ["10.0.0.1", "255.255.255.255"],
    "IPV6": [
        "::1", "fe80::1%eth0", "2001:db8::17", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1", "2001:db8::",
        "::", "0:0:0:0:0:ffff:10.0.0.1", "2001:DB8:85A3::8A2E:370:7334",
    ],
    "IP": ["10.0.0.1", "::1"],
    "HOSTNAME": ["a", "web-1.example.com", "under_score"],
    "IPORHOST": ["10.0.0.1", "::1", "web-1.example.com"],
    "HOSTPORT": ["10.0.0.1:80", "web:8080"],
    "PATH": ["/var/log/x.log", "C:\\Users\\bob"],
    "TTY": ["/dev/pts/0", "/dev/tty1"],
    "URIPATHPARAM": ["/a/b", "/a?b=c&d=[1]"],
    "URI": ["http://example.com", "https://me:pw@example.com:8443/a/b?c=d#e", "file:///etc/x"],
    "MONTH": ["Jan", "September"],
    "MONTHDAY": ["1", "09", "31"],
    "DAY": ["Mon", "Sunday"],
    "YEAR": ["26", "2026"],
    "TIME": ["08:30", "08:30:59", "8:30:59.123", "23:59:60"],
    "DATE_US": ["11/15/2026", "1-5-26"],
    "DATE_EU": ["15.11.2026", "5/1/26"],
    "DATESTAMP": ["11/15/2026 08:30:59"],
    "ISO8601_TIMEZONE": ["Z", "+01:00", "-0700"],
    "TIMESTAMP_ISO8601": [
        "2026-11-15T08:30:59Z", "2026-11-15 08:30:59,123", "2026-11-15T08:30:59.123456789+01:00",
        "2026-11-15T08:30",
    ],
    "DATESTAMP_RFC822": ["Sun Nov 15 2026 08:30:59 UTC"],
    "DATESTAMP_RFC2822": ["Sun, 15 Nov 2026 08:30:59 +0100"],
    "DATESTAMP_OTHER": ["Sun Nov 15 08:30:59 UTC 2026"],
    "HTTPDERROR_DATE": ["Sun Nov 15 08:30:59.123456 2026"],
    "SYSLOGTIMESTAMP": ["Nov 15 08:30:59", "Nov  5 08:30:59", "Nov 15 2026 08:30:59"],
    "HTTPDATE": ["15/Nov/2026:08:30:59 +0100"],
    "UNIXTIME": ["1794700800", "1794700800.123"],
    "SYSLOGPROG": ["sshd[12]", "postfix/smtpd"],
    "SYSLOGLINE": ["Nov 15 08:30:59 host sshd[12]: hello"],
    "JAVACLASS": ["com.example.App$Inner", "App"],
    "JAVASTACKTRACEPART": ["\tat com.example.App.main(App.java:17)", "at a.B.<init>(B.java)"],
    "CISCOTAG": ["SYS-5-CONFIG_I"],
}  # fmt: skip
NO_MATCHES = {
    "WORD": ["", "two words"],
    "INT": ["", "5.5", "x"],
    "NUMBER": ["1.2.3", "x"],
    "POSINT": ["0", "012"],
    "UUID": ["0f6b7a3e-6d3c-4a8a-9f0e"],
    "MAC": ["00:11:22:aa:bb"],
    "IPV4": ["256.0.0.1", "10.0.0"],
    "IPV6": ["12:30:15", "00:11:22:aa:bb:cc", "abcd"],
    "IP": ["example.com", "12:30:15"],
    "HOSTNAME": ["-a", "a b"],
    "MONTH": ["Foo"],
    "MONTHDAY": ["0", "32"],
    "TIME": ["24:00:00", "08:61"],
    "LOGLEVEL": ["information technology", "ok"],
    "TIMESTAMP_ISO8601": ["2026-13-15T08:30:59", "Nov 15 08:30:59"],
    "HTTPDATE": ["15/Nov/2026:08:30:59"],
    "URI": ["example.com/x"],
}


def is_matched(name: str, text: str) -> bool:
    pattern = f"%{{{name}:x}}"
    search = compile_search(expand(pattern).expression, pattern, whole=True)
    return search(text.encode()) is not None


@together("name", MATCHES)
def test_a_pattern_matches_what_it_is_named_for(name: str) -> None:
    assert [text for text in MATCHES[name] if not is_matched(name, text)] == []


@together("name", NO_MATCHES)
def test_a_pattern_matches_nothing_else(name: str) -> None:
    assert [text for text in NO_MATCHES[name] if is_matched(name, text)] == []


@together("name", PATTERNS)
def test_every_pattern_is_understood(name: str) -> None:
    is_matched(name, "text")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("IP", "fe80::1"), ("IPORHOST", "at"), ("NUMBER", "12"), ("TIME", "12:30:15")],
)
def test_the_first_match_in_a_text_is_the_one_that_is_meant(name: str, expected: str) -> None:
    pattern = f"%{{{name}:x}}"
    text = b"at 12:30:15 from fe80::1: hello"
    spans = compile_search(expand(pattern).expression, pattern)(text)
    assert spans is not None
    assert text[slice(*spans[1])] == expected.encode()
