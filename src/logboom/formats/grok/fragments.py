"""Building blocks of the presets: parts of lines that several programs share, and the longer lines."""

REQUEST = (
    r"(?:(?<method>[A-Z_-]+) (?<path>[^\s\"]+)(?: HTTP/(?<http_version>\d(?:\.\d)?))?"
    r"|%{UNQUOTED:request})"
)
SENT = rf'\[%{{HTTPDATE:timestamp}}\] "{REQUEST}" %{{INT:status:int}} (?:%{{INT:bytes:int}}|-)'
BY_USER = rf"%{{NOTSPACE:ident}} %{{NOTSPACE:user}} {SENT}"
COMMON = rf"%{{NOTSPACE:client_ip}} {BY_USER}"
COMMON_SPACED = rf'%{{NOTSPACE:client_ip}} %{{NOTSPACE:ident}} (?<user>[^\["]+) {SENT}'
COMMON_VIRTUAL = (
    rf"(?<virtual_host>[^\s:]+)(?::(?<port:int>\d+))? (?<client_ip>\S*[.:]\S*) {BY_USER}"
)
QUOTED_AGENT = r'"%{UNQUOTED:user_agent}"'
BROWSER = rf'"%{{UNQUOTED:referrer}}" {QUOTED_AGENT}'
FORWARDED = r'"%{UNQUOTED:forwarded_for}"'

SYSLOG_TIME = r"(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp})"
SYSLOG_HOST = rf"(?:<%{{NONNEGINT:priority:int}}>)?{SYSLOG_TIME} %{{NOTSPACE:hostname}}"
SYSLOG = rf"{SYSLOG_HOST} (?<app_name>[^\s\[\]:]+)(?:\[(?<proc_id>[^\]]*)\])?: ?"
OPTIONAL_SYSLOG = (
    r"(?:(?:<%{NONNEGINT:priority:int}>)?(?:%{SYSLOGTIMESTAMP:logged_at}|%{TIMESTAMP_ISO8601:logged_at})"
    r" %{NOTSPACE:hostname} (?<app_name>[^\s\[\]:]+)(?:\[(?<proc_id>[^\]]*)\])?: )?"
)

HAPROXY_CLIENT = (
    r"(?<client_ip>\S+):(?<client_port:int>\d+) \[%{HAPROXYDATE:timestamp}\] (?<frontend>\S+)"
    r" (?<backend>[^\s/]+)/(?<server>\S+)"
)
HAPROXY_LOAD = (
    r"(?<active:int>\d+)/(?<frontend_connections:int>\d+)/(?<backend_connections:int>\d+)"
    r"/(?<server_connections:int>\d+)/\+?(?<retries:int>\d+) (?<server_queue:int>\d+)/(?<backend_queue:int>\d+)"
)
HAPROXY_HTTP = (
    r"(?<request_ms:int>-?\d+)/(?<queue_ms:int>-?\d+)/(?<connect_ms:int>-?\d+)/(?<response_ms:int>-?\d+)"
    r"/\+?(?<duration_ms:int>\d+) (?<status:int>-?\d+) \+?(?<bytes:int>\d+) (?<request_cookie>\S+)"
    rf" (?<response_cookie>\S+) (?<termination_state>\S{{4}}) {HAPROXY_LOAD}"
    rf'(?: \{{(?<request_headers>[^}}]*)\}})?(?: \{{(?<response_headers>[^}}]*)\}})? "{REQUEST}"'
    r"(?: %{GREEDYDATA:rest})?"
)
HAPROXY_TCP = (
    r"(?<queue_ms:int>-?\d+)/(?<connect_ms:int>-?\d+)/\+?(?<duration_ms:int>\d+) \+?(?<bytes:int>\d+)"
    rf" (?<termination_state>\S{{2}}) {HAPROXY_LOAD}(?: %{{GREEDYDATA:rest}})?"
)

ELB = (
    r"%{TIMESTAMP_ISO8601:timestamp} %{NOTSPACE:load_balancer} (?<client_ip>\S+):(?<client_port:int>\d+)"
    r" (?:(?<target_ip>\S+):(?<target_port:int>\d+)|-) (?<request_seconds:float>\S+)"
    r" (?<target_seconds:float>\S+) (?<response_seconds:float>\S+) (?:%{INT:status:int}|-)"
    rf' (?:%{{INT:target_status:int}}|-) %{{INT:bytes_received:int}} %{{INT:bytes_sent:int}} "{REQUEST} ?"'
)
TLS = r"%{NOTSPACE:tls_cipher} %{NOTSPACE:tls_version}"
CLOUDFRONT = "\t".join(
    [
        r"(?<timestamp>\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d)",
        r"(?<edge_location>[^\t]*)",
        r"(?<bytes:int>[^\t]*)",
        *(rf"(?<{name}>[^\t]*)" for name in ("client_ip", "method", "host", "path")),
        r"(?<status:int>[^\t]*)",
        *(rf"(?<{name}>[^\t]*)" for name in ("referrer", "user_agent", "query", "cookie")),
        *(rf"(?<{name}>[^\t]*)" for name in ("edge_result", "request_id", "host_header", "scheme")),
        r"(?<bytes_received:int>[^\t]*)",
        r"(?<duration_seconds:float>[^\t]*)(?:\t(?<rest>.*))?",
    ]
)

SSHD_MESSAGES = (
    (
        r"(?<result>Accepted|Failed|Postponed) (?<auth_method>\S+) for (?:(?<invalid>invalid) user )?(?<user>\S*)"
        r" from (?<client_ip>\S+) port (?<client_port:int>\d+).*"
    ),
    r"(?<result>Invalid) user (?<user>\S*) ?from (?<client_ip>\S+)(?: port (?<client_port:int>\d+))?.*",
    (
        r"(?:Received disconnect from|Disconnected from|Connection (?:closed|reset) by)"
        r"(?: (?:invalid |authenticating )?user (?<user>\S+))? (?<client_ip>[0-9A-Fa-f.:]*[0-9A-Fa-f])"
        r"(?::| port (?<client_port:int>\d+)|)(?:[: ].*)?"
    ),
    r".*",
)
IPTABLES = (
    rf"(?:{SYSLOG})?(?:\[ *(?<uptime_seconds:float>[\d.]+)\] ?)?(?:(?<prefix>.*?):? ?)?"
    r"IN=(?<in_interface>\S*) (?:PHYSIN=\S* )?OUT=(?<out_interface>\S*) (?:PHYSOUT=\S* )?(?:MAC=(?<mac>\S*) )?"
    r"SRC=(?<src_ip>\S+) DST=(?<dst_ip>\S+) LEN=(?<length:int>\d+) (?:TOS=(?<tos>\S+) )?(?:PREC=(?<prec>\S+) )?"
    r"(?:TC=(?<traffic_class>\S+) )?(?:HOPLIMIT=(?<hop_limit:int>\d+) )?(?:FLOWLBL=(?<flow_label>\S+) )?"
    r"(?:TTL=(?<ttl:int>\d+) )?(?:ID=(?<id:int>\d+) )?(?:(?<fragment_flags>[DMC][EF](?: [DMC][EF])*) )?PROTO=(?<protocol>\S+)"
    r"(?: SPT=(?<src_port:int>\d+) DPT=(?<dst_port:int>\d+))?(?: (?<rest>.*))?"
)

EXCEPTION = r"(?<exception>(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable))"
JAVA_MESSAGE = rf"(?<message>[^\n]*(?:\n{EXCEPTION}\b.*|\n.*)?)"
JAVA_LEVEL = (
    r"(?<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE|CONFIG|FINE|FINER|FINEST) *"
)
JAVA_TIME = r"(?:%{TIMESTAMP_ISO8601:timestamp}|(?<clock>\d\d:\d\d:\d\d[.,]\d+))"
SPRING_TRACE = r"\[(?:(?<trace_id>[0-9a-f]{16,32})-(?<span_id>[0-9a-f]{16})| *)\]"
JAVA = (
    (
        rf"{JAVA_TIME} +{JAVA_LEVEL} (?<pid:int>\d+) --- (?:\[(?<application>[^\]]*)\] )?\[ *(?<thread>[^\]]*)\]"
        rf"(?: {SPRING_TRACE})? (?<logger>\S+) *: {JAVA_MESSAGE}"
    ),
    rf"{JAVA_TIME}(?: -)? +\[?{JAVA_LEVEL}\]? *\[(?<thread>[^\n]*?)\](?: (?<logger>[\w.$/]+))? *(?:-|:) {JAVA_MESSAGE}",
    rf"{JAVA_TIME}(?: -)? +\[(?<thread>[^\n]*?)\] +{JAVA_LEVEL} (?<logger>\S+?) *(?:-|:)(?: {JAVA_MESSAGE})?",
    rf"{JAVA_TIME}(?: -)? +\[?{JAVA_LEVEL}\]? +(?<logger>[\w.$/]+) *(?:-|:) {JAVA_MESSAGE}",
    rf"%{{CATALINA_DATESTAMP:timestamp}} (?<logger>\S+) (?<method>\S+)\n{JAVA_LEVEL}: {JAVA_MESSAGE}",
    rf"{JAVA_TIME}(?: -)? +\[?{JAVA_LEVEL}\]? {JAVA_MESSAGE}",
)

PYTHON_LEVEL = r"(?<level>NOTSET|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
PYTHON_MESSAGE = r"(?<message>[^\n]*(?:\nTraceback .*\n(?<exception>[\w.]+)(?::[^\n]*)?\n?|\n.*)?)"
PYTHON = (
    rf"%{{TIMESTAMP_ISO8601:timestamp}} - (?<logger>\S+) - {PYTHON_LEVEL} - {PYTHON_MESSAGE}",
    rf"%{{TIMESTAMP_ISO8601:timestamp}} - {PYTHON_LEVEL} - {PYTHON_MESSAGE}",
    rf"%{{TIMESTAMP_ISO8601:timestamp}} \[?{PYTHON_LEVEL} *\]?:?(?: \[?(?<logger>[\w.]+)\]?:)? {PYTHON_MESSAGE}",
    rf"%{{TIMESTAMP_ISO8601:timestamp}} (?<logger>[\w.]+) +\[?{PYTHON_LEVEL}\]? *:? {PYTHON_MESSAGE}",
    rf"{PYTHON_LEVEL}:(?<logger>[\w.]+):{PYTHON_MESSAGE}",
)

RAILS_REQUEST = (
    r'Started (?<method>[A-Z]+) "(?<path>[^"]*)" for (?<client_ip>\S+) at [0-9: +-]+',
    r"Completed (?<status:int>\d{3}) .*? in (?<duration_ms:float>[\d.]+)ms.*",
    r"Processing by (?<controller>[\w:]+)#(?<action>\w+) as .*",
    r".*",
)
RAILS = (
    *(
        r"[DIWEFA], \[(?<timestamp>[\d:.T-]+) #(?<pid:int>\d+)\] +(?<level>[A-Z]+) --"
        rf" (?<program>[^:]*): (?:\[(?<request_id>[0-9a-fA-F-]{{32,36}})\] )?(?<message>{message})"
        for message in RAILS_REQUEST
    ),
    r'(?<message>Started (?<method>[A-Z]+) "(?<path>[^"]*)" for (?<client_ip>\S+) at (?<timestamp>\d[0-9: -]+ [+-]\d{4}).*)',
)

SLOW_USER = (
    r"# User@Host: (?<user>[^\s\[]*)\[[^\]]*\] @ +(?<client_host>\S*) *\[(?<client_ip>[^\]]*)\]"
    r"(?: +Id: +(?<connection:int>\d+))?[^\n]*\n(?:# Thread_id:[^\n]*\n)?"
    r"# Query_time: (?<query_seconds:float>[\d.]+) +Lock_time: (?<lock_seconds:float>[\d.]+)"
    r" +Rows_sent: (?<rows_sent:int>\d+) +Rows_examined: (?<rows_examined:int>\d+)[^\n]*\n(?:#[^\n]*\n)*"
    r"(?:use (?<database>[^;\n]+);\n)?"
)
MYSQL_SLOW = (
    rf"# Time: +(?<timestamp>[^\n]*[^\s])\s*\n{SLOW_USER}(?:SET timestamp=[\d.]+;\n)?(?<message>.*)",
    rf"{SLOW_USER}SET timestamp=(?<timestamp>[\d.]+);\n(?<message>.*?)(?:\n# Time: [^\n]*)?",
    # The first of a file has no event before it that it could end.
    r"(?<message># Time: +(?<timestamp>[^\n]*[^\s])\s*)",
)

POSTGRES_LEVEL = r"(?<level>DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|STATEMENT|DETAIL|HINT|CONTEXT|QUERY)"
POSTGRES_MESSAGE = (
    r"(?<message>(?:duration: (?<duration_ms:float>[\d.]+) ms(?:  (?:statement|execute [^:]*): "
    r"(?<statement>.*))?|.*))"
)
POSTGRES_TIME = r"(?<timestamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[A-Z]{1,5}|[+-]\d\d(?::?\d\d)?))?)"
POSTGRES = (
    (
        rf"{POSTGRES_TIME} \[(?<pid:int>\d+)(?:-\d+)?\]:?(?: \[\d+-\d+\])?(?: (?<user>[^\s@=]*)@(?<database>\S*))?"
        rf"(?: (?<session>[^\n]*?))? ?{POSTGRES_LEVEL}:  ?{POSTGRES_MESSAGE}"
    ),
    (
        rf"{POSTGRES_TIME}:(?:(?<client_ip>[^():\s]*)\((?<client_port:int>\d+)\))?:(?<user>[^@]*)@(?<database>[^:]*)"
        rf":\[(?<pid:int>\d+)\]:{POSTGRES_LEVEL}:  ?{POSTGRES_MESSAGE}"
    ),
)

LOGCAT_TIME = r"(?<timestamp>(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d+(?: [+-]\d{4})?)"
LOGCAT = (
    (
        rf"{LOGCAT_TIME} +(?:(?<user>[a-z]\w*) +)?(?<pid:int>\d+) +(?<thread:int>\d+) (?<level>[VDIWEFA])"
        r" (?<logger>[^\n]*?) *: ?(?<message>.*)"
    ),
    rf"(?:{LOGCAT_TIME} +)?(?<level>[VDIWEFA])/(?<logger>[^\n]*?) *\( *(?<pid:int>\d+)\): ?(?<message>.*)",
)
LOGCAT_BEGINS = r"^(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d+ |^[VDIWEFA]/[^\n(]*\( *\d+\): |^--------- beginning of "

PHP_TIME = r"\[(?<timestamp>\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?: [\w/+:-]+)?)\]"
PHP = (
    rf"{PHP_TIME} PHP (?<level>Warning|Notice|Deprecated): +(?<message>.*)",
    rf"{PHP_TIME} PHP (?<kind>(?:Recoverable |Catchable )?(?<level>[Ff]atal) error): +(?<message>.*)",
    rf"{PHP_TIME} PHP (?<kind>\w+ (?<level>error|warning)): +(?<message>.*)",
    rf"{PHP_TIME} (?<message>.*)",
)
