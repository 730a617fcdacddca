/** The formats and compressions of files that the API knows. */

export type Choice = [value: string, label: string]

export const FORMATS: Choice[] = [
  ['auto', 'auto: detect from the content of each file'],
  ['ndjson', 'ndjson: one JSON object per line'],
  ['json', 'json: objects or arrays across lines'],
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
  ['auto', 'auto: detect from the content'],
  ['none', 'none'],
  ['gzip', 'gzip'],
  ['zstd', 'zstd'],
]
