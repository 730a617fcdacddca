"""Grok presets: the log lines of well-known programs; all are in PRESETS.

Field names are the same wherever the meaning is the same: client_ip, method, path, status, bytes, level …
"""

from typing import NamedTuple

from logboom.formats.grok import fragments as part

ISO_BEGINS = r"^\d{4}-\d\d-\d\d[T ]"


class Preset(NamedTuple):
    """Patterns; the first that matches a whole event wins.

    `begins` matches the lines that start an event, for programs with multi-line events.
    """

    patterns: tuple[str, ...]
    begins: str = ""


ACCESS = Preset(
    (
        rf"{part.COMMON} {part.BROWSER}(?: {part.FORWARDED})?(?: %{{GREEDYDATA:rest}})?",
        rf"{part.COMMON_VIRTUAL} {part.BROWSER}(?: %{{GREEDYDATA:rest}})?",
        rf"{part.COMMON_SPACED} {part.BROWSER}(?: %{{GREEDYDATA:rest}})?",
    )
)
HAPROXY_HTTP = rf"{part.OPTIONAL_SYSLOG}{part.HAPROXY_CLIENT} {part.HAPROXY_HTTP}"
HAPROXY_TCP = rf"{part.OPTIONAL_SYSLOG}{part.HAPROXY_CLIENT} {part.HAPROXY_TCP}"

PRESETS: dict[str, Preset] = {
    "common": Preset((part.COMMON, part.COMMON_VIRTUAL, part.COMMON_SPACED)),
    "combined": ACCESS,
    "apache": ACCESS,
    "nginx": ACCESS,
    "apache_error": Preset(
        (
            (
                r"\[(?<timestamp>[A-Z][^\]]+)\] \[(?:(?<module>[\w.-]*):)?(?<level>\w+)\]"
                r"(?: \[pid (?<pid:int>\d+)(?::tid (?<tid>\d+))?\])?(?: (?<source_file>[\w./-]+\.c\(\d+\)):)?"
                r"(?: \[(?:client|remote) (?<client_ip>[^\]\s]+?)(?::(?<client_port:int>\d+))?\])?"
                r"(?: (?<code>AH\d+):)? (?<message>.*)"
            ),
        )
    ),
    "nginx_error": Preset(
        (
            (
                r"%{NGINXTIMESTAMP:timestamp} \[%{WORD:level}\] %{INT:pid:int}#%{INT:tid}:(?: \*%{INT:connection:int})?"
                r" %{DATA:message}(?:, client: (?<client_ip>[^,]+))?(?:, server: (?<server>[^,]*))?"
                rf'(?:, request: "{part.REQUEST}")?(?:, subrequest: "%{{UNQUOTED:subrequest}}")?'
                r'(?:, upstream: "%{UNQUOTED:upstream}")?(?:, host: "%{UNQUOTED:host}")?'
                r'(?:, referrer: "%{UNQUOTED:referrer}")?'
            ),
        )
    ),
    "haproxy": Preset((HAPROXY_HTTP, HAPROXY_TCP)),
    "haproxy_http": Preset((HAPROXY_HTTP,)),
    "haproxy_tcp": Preset((HAPROXY_TCP,)),
    "squid": Preset(
        (
            (
                r"%{UNIXTIME:timestamp} +%{INT:duration_ms:int} %{NOTSPACE:client_ip} %{WORD:cache_result}/%{INT:status:int}"
                r" %{INT:bytes:int} %{NOTSPACE:method} %{NOTSPACE:url} %{NOTSPACE:user} %{WORD:hierarchy}/%{NOTSPACE:server}"
                r" %{NOTSPACE:content_type}(?: %{GREEDYDATA:rest})?"
            ),
        )
    ),
    "envoy": Preset(
        (
            (
                rf'\[%{{TIMESTAMP_ISO8601:timestamp}}\] "{part.REQUEST}" %{{INT:status:int}} %{{NOTSPACE:response_flags}}'
                r'(?: %{NOTSPACE:response_details} %{NOTSPACE:termination_details} "%{UNQUOTED:failure_reason}")?'
                r" %{INT:bytes_received:int} %{INT:bytes_sent:int} %{INT:duration_ms:int} (?:%{INT:upstream_ms:int}|-)"
                r' "%{UNQUOTED:forwarded_for}" "%{UNQUOTED:user_agent}" "%{UNQUOTED:request_id}" "%{UNQUOTED:authority}"'
                r' "%{UNQUOTED:upstream}"(?: %{GREEDYDATA:rest})?'
            ),
        )
    ),
    "traefik": Preset(
        (
            (
                rf'{part.COMMON} {part.BROWSER} %{{INT:request_count:int}} "%{{UNQUOTED:router}}"'
                r' "%{UNQUOTED:server_url}" %{INT:duration_ms:int}ms'
            ),
        )
    ),
    "elb": Preset((rf"{part.ELB}(?: {part.QUOTED_AGENT} {part.TLS})?",)),
    "alb": Preset(
        (
            (
                rf"(?<type>[a-z0-9]+) {part.ELB} {part.QUOTED_AGENT} {part.TLS} %{{NOTSPACE:target_group_arn}}"
                r' "%{UNQUOTED:trace_id}"(?: "%{UNQUOTED:domain_name}" "%{UNQUOTED:chosen_cert_arn}")?'
                r'(?: %{INT:rule_priority} %{TIMESTAMP_ISO8601:request_created} "%{UNQUOTED:actions}")?'
                r'(?: "%{UNQUOTED:redirect_url}" "%{UNQUOTED:error_reason}")?(?: %{GREEDYDATA:rest})?'
            ),
        )
    ),
    "s3": Preset(
        (
            (
                r"%{NOTSPACE:bucket_owner} %{NOTSPACE:bucket} \[%{HTTPDATE:timestamp}\] %{NOTSPACE:client_ip}"
                r" %{NOTSPACE:requester} %{NOTSPACE:request_id} %{NOTSPACE:operation} %{NOTSPACE:key}"
                rf' (?:"{part.REQUEST}"|-) (?:%{{INT:status:int}}|-) %{{NOTSPACE:error_code}} (?:%{{INT:bytes:int}}|-)'
                r" (?:%{INT:object_size:int}|-) (?:%{INT:duration_ms:int}|-) (?:%{INT:turnaround_ms:int}|-)"
                rf" {part.BROWSER} %{{NOTSPACE:version_id}}(?: %{{NOTSPACE:host_id}} %{{NOTSPACE:signature_version}}"
                r" %{NOTSPACE:cipher} %{NOTSPACE:auth_type} %{NOTSPACE:host}(?: %{NOTSPACE:tls_version})?)?"
                r"(?: %{GREEDYDATA:rest})?"
            ),
        )
    ),
    "cloudfront": Preset((part.CLOUDFRONT,)),
    "syslog": Preset(
        (
            rf"{part.SYSLOG}%{{GREEDYDATA:message}}",
            rf"{part.SYSLOG_HOST} %{{GREEDYDATA:message}}",
        )
    ),
    "sshd": Preset(tuple(rf"{part.SYSLOG}(?<message>{message})" for message in part.SSHD_MESSAGES)),
    "cron": Preset(
        (
            rf"{part.SYSLOG}(?<message>\((?<user>[^)]+)\) (?<action>[A-Z][A-Z ]*) \((?<command>.*)\))",
            rf"{part.SYSLOG}%{{GREEDYDATA:message}}",
        )
    ),
    "iptables": Preset((part.IPTABLES,)),
    "java": Preset(part.JAVA, r"^(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} \d+, \d{4}) ?"),
    "python": Preset(part.PYTHON, rf"{ISO_BEGINS}|^[A-Z]+:[\w.]+:"),
    "go": Preset(
        (
            (
                r"(?:(?<prefix>[^\d\n]{1,40}?) ?)?%{NGINXTIMESTAMP:timestamp} (?:(?<caller>[\w./-]+\.go:\d+): )?"
                r"%{GREEDYDATA:message}"
            ),
        )
    ),
    "klog": Preset(
        (
            (
                r"(?<level:level>[IWEFD])(?<timestamp>\d{4} \d\d:\d\d:\d\d\.\d+) +(?<tid>\d+) (?<caller>[^\s\]]+:\d+)\]"
                r" ?(?<message>.*)"
            ),
        ),
        r"^[IWEFD]\d{4} ",
    ),
    "logcat": Preset(part.LOGCAT, part.LOGCAT_BEGINS),
    "cri": Preset(
        (
            r"%{TIMESTAMP_ISO8601:timestamp} (?<stream>stdout|stderr) (?<partial_flag>[PF](?::\S+)?) (?<message>.*)",
        )
    ),
    "docker": Preset(
        (
            r"(?:(?<container>[\w.-]+) +\| ?)?%{TIMESTAMP_ISO8601:timestamp} (?<message>.*)",
            r"(?<container>[\w.-]+) +\| ?(?<message>.*)",
        )
    ),
    "rails": Preset(part.RAILS, r'^[DIWEFA], \[|^Started [A-Z]+ "'),
    "mysql_slow": Preset(part.MYSQL_SLOW, r"^# User@Host: "),
    "mysql_error": Preset(
        (
            (
                r"%{TIMESTAMP_ISO8601:timestamp} (?<thread:int>\d+) \[(?<level>\w+)\](?: \[(?<code>MY-\d+)\])?"
                r"(?: \[(?<subsystem>\w+)\])? (?<message>.*)"
            ),
            (
                r"(?<timestamp>\d{6} +\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\d +\d{1,2}:\d\d:\d\d)(?: (?<thread:int>\d+))?"
                r" \[(?<level>\w+)\] (?<message>.*)"
            ),
        ),
        r"^(?:\d{4}-\d\d-\d\d|\d{6}) ?",
    ),
    "dotnet": Preset(
        (
            (
                r"(?:\[?%{TIMESTAMP_ISO8601:timestamp}\]? ?)?(?<level:level>trce|dbug|info|warn|fail|crit):"
                r" (?<logger>[^\s\[]+)\[(?<event_id:int>-?\d+)\]\s*(?<message>.*)"
            ),
        ),
        r"^(?:\[?\d{4}-\d\d-\d\d[T ]|(?:trce|dbug|info|warn|fail|crit): \S)",
    ),
    "php": Preset(part.PHP, r"^\[\d\d-[A-Z][a-z]{2}-\d{4} "),
    "postgres": Preset(part.POSTGRES, ISO_BEGINS),
    "redis": Preset(
        (
            r"(?<pid:int>\d+):(?<role>[XCSM]) %{REDISTIMESTAMP:timestamp} (?:(?<level:level>[.*#])|-) (?<message>.*)",
            r"\[(?<pid:int>\d+)\] %{REDISTIMESTAMP:timestamp} (?:(?<level:level>[.*#])|-) (?<message>.*)",
        )
    ),
}
