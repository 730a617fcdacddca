/** What files may hold: the formats and the compressions that the API knows. */

export type Choice = [value: string, label: string]

export const FORMATS: Choice[] = [
  ['auto', 'auto: looks at the content of each file'],
  ['ndjson', 'ndjson: a JSON object on each line'],
  ['json', 'json: objects or arrays over several lines'],
  ['text', 'text: each line is a message'],
  ['syslog', 'syslog: RFC 5424 and 3164'],
  ['logfmt', 'logfmt: key=value'],
  ['csv', 'csv: with a header row'],
  ['tsv', 'tsv: with a header row'],
  ['grok', 'grok: a pattern or preset'],
  ['cef', 'cef: Common Event Format'],
  ['w3c', 'w3c: with #Fields'],
]

export const COMPRESSIONS: Choice[] = [
  ['auto', 'auto: looks at the content'],
  ['none', 'none'],
  ['gzip', 'gzip'],
  ['zstd', 'zstd'],
]
