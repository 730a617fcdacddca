/** Receives new events over a connection that may break: it reconnects and continues after the last message. */
import { mayPass, send } from '../../api/client'

export interface Message {
  /** The position to continue from: all events of a block but the last share one, so they are sent again after a break. */
  id: string
  data: string
  /** It is not an event, but a warning that some cannot be sent. */
  isWarning?: true
}

export interface TailListener {
  opened: () => void
  received: (message: Message) => void
  /** The connection broke and will be retried. */
  lost: () => void
  /** The server refused it: nothing more will come. */
  refused: (error: unknown) => void
}

const PAUSES_MS = [500, 1_000, 2_000, 5_000]
/** The server sends a keep-alive every 15 seconds. */
const SILENCE_MS = 40_000
const ID = 'id: '
const WARNING = 'event: warning'
const DATA = 'data: '

/** Parses server-sent events as this server writes them: lines end with a line feed, and data is one line. */
export class Messages {
  private rest = ''
  private isWarning = false

  constructor(public lastId: string) {}

  /** The messages that end in this piece. */
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

/** Ends with `signal`, or if the server refuses it. */
export async function follow(url: string, listener: TailListener, signal: AbortSignal): Promise<void> {
  let lastId = ''
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const id of listen(url, lastId, listener, signal)) {
        lastId = id
        failures = 0
      }
    } catch (error) {
      if (!signal.aborted && !mayPass(error)) return listener.refused(error)
    }
    if (signal.aborted) return
    listener.lost()
    await rest(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, signal)
    failures += 1
  }
}

/** One connection; yields the position to continue from after each piece. */
async function* listen(
  url: string,
  lastId: string,
  listener: TailListener,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const headers: Record<string, string> = lastId ? { 'Last-Event-ID': lastId } : {}
  const response = await send('GET', url, { signal, headers })
  if (!response.body) throw new Error('the browser does not support streaming')
  let isOpen = false
  const messages = new Messages(lastId)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    // A connection may die silently.
    const timer = setTimeout(() => void reader.cancel(), SILENCE_MS)
    const { value, done } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    // Only after the first piece, which has the position to continue from: a break before it would lose events.
    if (!isOpen) listener.opened()
    isOpen = true
    for (const message of messages.read(value)) listener.received(message)
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
