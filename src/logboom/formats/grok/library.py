"""The library of grok patterns, under their Logstash names, written for RE2.

RE2 has no lookaround and no backtracking: patterns use character classes and word boundaries, and are small rather
than strict, because size costs time. Definitions may refer to each other. Those in TIMES match a complete time.
"""

GENERAL = {
    "WORD": r"[\w\x{80}-\x{10FFFF}]+",
    "NOTSPACE": r"\S+",
    "SPACE": r"\s*",
    "DATA": r".*?",
    "GREEDYDATA": r".*",
    "GREEDYMULTILINE": r".*",
    "QUOTEDSTRING": r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)""",
    "QS": r"%{QUOTEDSTRING}",
    "UNQUOTED": r"""(?:[^"\\]|\\.)*""",
    "UUID": r"[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}",
    "URN": r"urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:[0-9A-Za-z()+,.:=@;$_!*'/?#%-]+",
    "INT": r"[+-]?[0-9]+",
    "BASE10NUM": r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)",
    "NUMBER": r"%{BASE10NUM}",
    "BASE16NUM": r"\b[+-]?(?:0x)?[0-9A-Fa-f]+\b",
    "BASE16FLOAT": r"\b[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]*)?|\.[0-9A-Fa-f]+)\b",
    "POSINT": r"\b[1-9][0-9]*\b",
    "NONNEGINT": r"\b[0-9]+\b",
    "BOOL": r"(?i:true|false|yes|no|on|off)",
    "USERNAME": r"[a-zA-Z0-9._-]+",
    "USER": r"%{USERNAME}",
    "EMAILLOCALPART": r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]+",
    "EMAILADDRESS": r"%{EMAILLOCALPART}@%{HOSTNAME}",
    "LOGLEVEL": (
        r"(?i:trace|debug|dbg|info(?:rmation)?|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|alert"
        r"|fatal|severe|emerg(?:ency)?|panic|fine(?:st|r)?|verbose)\b"
    ),
}
NETWORK = {
    "CISCOMAC": r"(?:[A-Fa-f0-9]{4}\.){2}[A-Fa-f0-9]{4}",
    "WINDOWSMAC": r"(?:[A-Fa-f0-9]{2}-){5}[A-Fa-f0-9]{2}",
    "COMMONMAC": r"(?:[A-Fa-f0-9]{2}:){5}[A-Fa-f0-9]{2}",
    "MAC": r"(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})",
    "OCTET": r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])",
    "IPV4": r"\b%{OCTET}\.%{OCTET}\.%{OCTET}\.%{OCTET}\b",
    "IPV6": (
        r"(?i:(?:[0-9a-f]+:){6}(?:[0-9a-f:.]*[0-9a-f])"
        r"|(?:[0-9a-f]+(?::[0-9a-f]+)*)?::(?:[0-9a-f:.]*[0-9a-f])?)(?:%[0-9A-Za-z]+)?"
    ),
    "IP": r"(?:%{IPV4}|%{IPV6})",
    "HOSTNAME": r"\b[0-9A-Za-z](?:[0-9A-Za-z_.-]*[0-9A-Za-z_])?",
    "IPORHOST": r"(?:%{IPV6}|%{HOSTNAME})",
    "HOST": r"%{HOSTNAME}",
    "HOSTPORT": r"%{IPORHOST}:%{POSINT}",
    "UNIXPATH": r"(?:/[\w_%!$@:.,+~-]*)+",
    "WINPATH": r"(?:[A-Za-z]+:|\\)(?:\\[^\\?*\s]*)+",
    "PATH": r"(?:%{UNIXPATH}|%{WINPATH})",
    "TTY": r"/dev/(?:pts|tty(?:[pq])?)(?:\w+)?/?(?:[0-9]+)?",
    "URIPROTO": r"[A-Za-z](?:[A-Za-z0-9+.-]+)?",
    "URIHOST": r"%{IPORHOST}(?::%{POSINT})?",
    "URIPATH": r"(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
    "URIQUERY": r"[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?<>\[\]-]*",
    "URIPARAM": r"\?%{URIQUERY}",
    "URIPATHPARAM": r"%{URIPATH}(?:%{URIPARAM})?",
    "URI": r"%{URIPROTO}://(?:%{USER}(?::[^@\s]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?",
}
DATES = {
    "MONTH": (
        r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
        r"|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b"
    ),
    "MONTHNUM": r"(?:0?[1-9]|1[0-2])",
    "MONTHNUM2": r"(?:0[1-9]|1[0-2])",
    "MONTHDAY": r"(?:0[1-9]|[12][0-9]|3[01]|[1-9])",
    "DAY": (
        r"(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)"
    ),
    "YEAR": r"(?:[0-9]{2}){1,2}",
    "HOUR": r"(?:2[0-3]|[01]?[0-9])",
    "MINUTE": r"[0-5][0-9]",
    "SECOND": r"(?:[0-5][0-9]|60)(?:[:.,][0-9]+)?",
    "TIME": r"%{HOUR}:%{MINUTE}(?::%{SECOND})?",
    "DATE_US": r"%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}",
    "DATE_EU": r"%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}",
    "DATE": r"(?:%{DATE_US}|%{DATE_EU})",
    "TZ": r"\b[A-Z]{3,4}\b",
    "ISO8601_TIMEZONE": r"(?:Z|[+-]%{HOUR}:?%{MINUTE})",
    "ISO8601_SECOND": r"%{SECOND}",
    "TIMESTAMP_ISO8601": (
        r"[0-9]{4}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?(?: ?%{ISO8601_TIMEZONE})?"
    ),
    "DATESTAMP": r"%{DATE}[- ]%{TIME}",
    "DATESTAMP_RFC822": r"%{DAY},? %{MONTH} %{MONTHDAY} [0-9]{4} %{TIME} %{TZ}",
    "DATESTAMP_RFC2822": r"%{DAY}, %{MONTHDAY} %{MONTH} [0-9]{4} %{TIME} (?:%{ISO8601_TIMEZONE}|%{TZ})",
    "DATESTAMP_OTHER": r"%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} %{TZ} [0-9]{4}",
    "DATESTAMP_EVENTLOG": r"[0-9]{4}%{MONTHNUM2}[0-9]{2}%{HOUR}%{MINUTE}[0-9]{2}",
    "HTTPDERROR_DATE": r"%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} [0-9]{4}",
    "SYSLOGTIMESTAMP": r"%{MONTH} +%{MONTHDAY} (?:[0-9]{4} )?%{TIME}",
    "HTTPDATE": r"[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}",
    "UNIXTIME": r"\b[0-9]{9,10}(?:\.[0-9]+)?\b",
    "REDISTIMESTAMP": r"%{MONTHDAY} %{MONTH}(?: [0-9]{4})? %{TIME}",
    "NGINXTIMESTAMP": r"[0-9]{4}/%{MONTHNUM2}/[0-9]{2} %{TIME}",
    "HAPROXYDATE": r"%{MONTHDAY}/%{MONTH}/[0-9]{4}:%{TIME}",
    "CATALINA_DATESTAMP": r"%{MONTH} %{MONTHDAY}, [0-9]{4} %{HOUR}:%{MINUTE}:%{SECOND} [AP]M",
    "TOMCAT_DATESTAMP": r"%{TIMESTAMP_ISO8601}",
}
LINES = {
    "PROG": r"[^\s\[\]:]+",
    "SYSLOGPROG": r"%{PROG:program}(?:\[%{POSINT:pid}\])?",
    "SYSLOGHOST": r"%{IPORHOST}",
    "SYSLOGFACILITY": r"<%{NONNEGINT:facility}.%{NONNEGINT:priority}>",
    "SYSLOGBASE": (
        r"%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:"
    ),
    "SYSLOGLINE": r"%{SYSLOGBASE} *%{GREEDYDATA:message}",
    "SYSLOGPAMSESSION": (
        r"%{SYSLOGBASE} %{WORD:pam_module}\(%{DATA:pam_caller}\): session"
        r" %{WORD:pam_session_state} for user %{USERNAME:username}(?: by %{GREEDYDATA:pam_by})?"
    ),
    "CRON_ACTION": r"[A-Z ]+",
    "CRONLOG": r"%{SYSLOGBASE} \(%{USER:user}\) %{CRON_ACTION:action} \(%{DATA:message}\)",
    "HTTPDUSER": r"[a-zA-Z0-9._@+-]+",
    "HTTPREQUEST": (
        r"(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{UNQUOTED:rawrequest})"
    ),
    "COMMONAPACHELOG": (
        r"%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \[%{HTTPDATE:timestamp}\]"
        r' "%{HTTPREQUEST}" %{INT:response} (?:%{INT:bytes}|-)'
    ),
    "COMBINEDAPACHELOG": r"%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}",
    "HTTPD_COMMONLOG": r"%{COMMONAPACHELOG}",
    "HTTPD_COMBINEDLOG": r"%{COMBINEDAPACHELOG}",
    "JAVACLASS": r"(?:[a-zA-Z$_][a-zA-Z$_0-9]*\.)*[a-zA-Z$_][a-zA-Z$_0-9]*",
    "JAVAFILE": r"[A-Za-z0-9_. -]+",
    "JAVAMETHOD": r"(?:<(?:cl)?init>|[a-zA-Z$_][a-zA-Z$_0-9]*)",
    "JAVATHREAD": r"[A-Z]{2}-Processor[0-9]+",
    "JAVASTACKTRACEPART": (
        r"\s*at %{JAVACLASS:class}\.%{JAVAMETHOD:method}\(%{JAVAFILE:file}(?::%{NUMBER:line})?\)"
    ),
    "JAVALOGMESSAGE": r".*",
    "CISCOTAG": r"[A-Z0-9]+-[0-9]+-(?:[A-Z0-9_]+)",
}
PATTERNS: dict[str, str] = GENERAL | NETWORK | DATES | LINES

TIMES = {
    *("TIMESTAMP_ISO8601", "DATESTAMP_RFC822", "DATESTAMP_RFC2822", "DATESTAMP_OTHER"),
    *("HTTPDERROR_DATE", "SYSLOGTIMESTAMP", "HTTPDATE", "UNIXTIME", "REDISTIMESTAMP"),
    *("NGINXTIMESTAMP", "HAPROXYDATE", "CATALINA_DATESTAMP", "TOMCAT_DATESTAMP"),
}
READ_AS_WRITTEN = {"TIMESTAMP_ISO8601", "HTTPDATE", "UNIXTIME"}
"""Times that every reader of events understands."""
