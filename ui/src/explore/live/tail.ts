/** Follows new events over a connection that may break: it is opened again, and goes on after what came last. */
import { mayPass, send } from '../../api/client'

export interface Message {
  /** Where to go on after it: the same for all of a block but its last, so these come again after a break. */
  id: string
  data: string
  /** It is not an event, but says that some cannot be sent. */
  isWarning?: true
}

export interface Hearer {
  opened: () => void
  heard: (message: Message) => void
  /** The connection broke, and will be tried again. */
  lost: () => void
  /** The server will not have it: nothing more comes. */
  refused: (error: unknown) => void
}

const PAUSES_MS = [500, 1_000, 2_000, 5_000]
/** The server gives a sign of life every 15 seconds. */
const SILENCE_MS = 40_000
const ID = 'id: '
const WARNING = 'event: warning'
const DATA = 'data: '

/** Takes server-sent events apart as the server writes them: lines end with a line feed, and data is one line. */
export class Messages {
  private rest = ''
  private isWarning = false

  constructor(public lastId: string) {}

  /** Those that end in this piece. */
  read(piece: string): Message[] {
    const lines = (this.rest + piece).split('\n')
    this.rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.readLine(line))
  }

  private readLine(line: string): Message[] {
    if (line.startsWith(ID)) this.lastId = line.slice(ID.length)
    if (!line || line === WARNING) this.isWarning = line === WARNING
    if (!line.startsWith(DATA)) return []
    const message = { id: this.lastId, data: line.slice(DATA.length) }
    return [this.isWarning ? { ...message, isWarning: true } : message]
  }
}

/** Ends by `signal`, or when the server refuses it. */
export async function follow(url: string, hearer: Hearer, signal: AbortSignal): Promise<void> {
  let lastId = ''
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const id of listen(url, lastId, hearer, signal)) {
        lastId = id
        failures = 0
      }
    } catch (error) {
      if (!signal.aborted && !mayPass(error)) return hearer.refused(error)
    }
    if (signal.aborted) return
    hearer.lost()
    await rest(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, signal)
    failures += 1
  }
}

/** One connection; says after each piece where to go on. */
async function* listen(
  url: string,
  lastId: string,
  hearer: Hearer,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const headers: Record<string, string> = lastId ? { 'Last-Event-ID': lastId } : {}
  const response = await send('GET', url, { signal, headers })
  if (!response.body) throw new Error('the browser does not support streaming')
  let isOpen = false
  const messages = new Messages(lastId)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    // A connection may be dead without anybody saying so.
    const timer = setTimeout(() => void reader.cancel(), SILENCE_MS)
    const { value, done } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    // Not before: the first piece says where to go on, and a break before it would lose events.
    if (!isOpen) hearer.opened()
    isOpen = true
    for (const message of messages.read(value)) hearer.heard(message)
    yield messages.lastId
  }
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal.addEventListener('abort', wake)
  })
}
