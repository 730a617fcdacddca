/** Removes terminal escape sequences: colours, titles, cursor movements. */

const SEQUENCES = new RegExp(
  [
    // A command with parameters (CSI), such as a colour.
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    // A control string (OSC, DCS, SOS, PM, APC), up to its end or, if truncated, the end of the line.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
    // Any other escape sequence.
    String.raw`\x1b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
)

const BEGINS = /[\x1b\x90\x98\x9b\x9d-\x9f]/

export function stripAnsi(text: string): string {
  return BEGINS.test(text) ? text.replace(SEQUENCES, '') : text
}
