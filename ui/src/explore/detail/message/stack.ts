/** Stack traces: finds the frames, and which of them belong to libraries. */

export interface Section {
  lines: string[]
  /** Library frames, shown on request. */
  isFolded: boolean
  frames: number
}

interface Unit {
  lines: string[]
  /** Lines that are not frames describe the error. */
  kind: 'own' | 'library' | 'words'
}

const PYTHON = /^\s*File "([^"]+)", line \d+/
/** Java, Kotlin, Scala, JavaScript and .NET. */
const AT = /^\s*at\s+(\S.*)$/
const OMITTED = /^\s*\.\.\. (?:\d+ more|\d+ common frames omitted)\s*$/
const GO_CALL = /^(?:created by )?([\w./*()-]+)\(?.*\)?(?: in goroutine \d+)?$/
const GO_PLACE = /^\t(\S.*\.go):\d+/
const RUBY = /^\s*(?:from )?(\S+\.rb):\d+:in /
const PHP = /^#\d+ (\S.*?)(?:\(\d+\))?: /
/** With fewer frames it is not a stack trace. */
const MIN_FRAMES = 2
/** Folding a single line would save nothing. */
const MIN_FOLDED = 2
const MAX_LINES = 2000

/** Libraries recognised by their path. */
const LIBRARY_PATH =
  /(?:^|[\\/])(?:site-packages|dist-packages|node_modules|vendor|gems|\.cargo|bower_components)[\\/]|[\\/]lib[\\/]python\d|<frozen |^<string>|[\\/]go[\\/](?:pkg[\\/]mod|src)[\\/]|^node:|^internal[\\/]|[\\/]\(?webpack[\\/]|^native$|[\\/]ruby[\\/]\d/
/** Libraries recognised by their package name. */
const LIBRARY_CALL =
  /^(?:[\w.]+\/)?(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|akka|groovy|clojure|android|androidx|dalvik|org\.(?:springframework|apache|hibernate|eclipse|jboss|junit|postgresql|slf4j|codehaus|glassfish)|io\.(?:netty|grpc|micrometer|reactivex|undertow|vertx|quarkus|ktor|opentelemetry)|com\.(?:zaxxer|mysql|fasterxml|google|mongodb|rabbitmq|netflix|github)|ch\.qos|reactor|redis|feign|System|Microsoft|MS|Npgsql|Newtonsoft)\.[\w$<]/

function isLibraryCall(call: string): boolean {
  const place = /\(([^()]*)\)\s*$/.exec(call)?.[1] ?? call
  return LIBRARY_CALL.test(call.replace(/^async /, '')) || LIBRARY_PATH.test(place)
}

const indentOf = (line: string) => line.length - line.trimStart().length

interface Frame {
  /** In lines. */
  size: number
  isLibrary: boolean
}

function readPython(lines: string[], at: number): Frame | null {
  const line = lines[at] ?? ''
  const path = PYTHON.exec(line)?.[1]
  if (path === undefined) return null
  let size = 1
  // The source line, and the marker below it.
  for (let next = lines[at + size]; next && isCode(next, line); next = lines[at + size]) size += 1
  return { size, isLibrary: LIBRARY_PATH.test(path) }
}

function readCall(lines: string[], at: number): Frame | null {
  const line = lines[at] ?? ''
  const call = AT.exec(line)?.[1]
  if (call) return { size: 1, isLibrary: isLibraryCall(call) }
  return OMITTED.test(line) ? { size: 1, isLibrary: true } : null
}

function readGo(lines: string[], at: number): Frame | null {
  const line = lines[at] ?? ''
  const place = GO_CALL.test(line) ? GO_PLACE.exec(lines[at + 1] ?? '')?.[1] : undefined
  if (!place) return null
  return { size: 2, isLibrary: LIBRARY_PATH.test(place) || /^(?:runtime|panic)\b/.test(line) }
}

function readScript(lines: string[], at: number): Frame | null {
  const line = lines[at] ?? ''
  const path = (RUBY.exec(line) ?? PHP.exec(line))?.[1]
  return path === undefined ? null : { size: 1, isLibrary: LIBRARY_PATH.test(path) }
}

const READERS = [readPython, readCall, readGo, readScript]

/** The frame that begins at a line, or null. */
function readFrame(lines: string[], at: number): Frame | null {
  for (const read of READERS) {
    const frame = read(lines, at)
    if (frame) return frame
  }
  return null
}

function isCode(line: string, head: string): boolean {
  return indentOf(line) > indentOf(head) && !PYTHON.test(line)
}

function readUnits(lines: string[]): Unit[] {
  const units: Unit[] = []
  let at = 0
  while (at < lines.length) {
    const frame = readFrame(lines, at)
    const size = frame?.size ?? 1
    const kind = frame ? (frame.isLibrary ? 'library' : 'own') : 'words'
    units.push({ lines: lines.slice(at, at + size), kind })
    at += size
  }
  return units
}

/** The text in sections, with library frames folded; null if it is not a stack trace. */
export function foldStack(text: string): Section[] | null {
  if (!text.includes('\n')) return null
  const lines = text.split(/\r?\n/)
  if (lines.length > MAX_LINES) return null
  const units = readUnits(lines)
  const frames = units.filter((unit) => unit.kind !== 'words')
  if (frames.length < MIN_FRAMES) return null
  // A trace that has only library frames is not folded.
  const hasOwn = frames.some((unit) => unit.kind === 'own')
  return join(units, hasOwn)
}

/** The number of consecutive units, from here on, that are all library frames or all not. */
function measureRun(units: Unit[], at: number): number {
  const isLibrary = units[at]?.kind === 'library'
  const end = units.findIndex((unit, place) => place > at && (unit.kind === 'library') !== isLibrary)
  return (end < 0 ? units.length : end) - at
}

function join(units: Unit[], mayFold: boolean): Section[] {
  const sections: Section[] = []
  let at = 0
  while (at < units.length) {
    const size = measureRun(units, at)
    const lines = units.slice(at, at + size).flatMap((unit) => unit.lines)
    const isFolded = mayFold && units[at]?.kind === 'library' && size >= MIN_FOLDED
    const last = sections.at(-1)
    if (last && !isFolded && !last.isFolded) last.lines.push(...lines)
    else sections.push({ lines, isFolded, frames: isFolded ? size : 0 })
    at += size
  }
  return sections
}
