/** Downloads all matches to a file, piece by piece, reporting progress. */
import { send } from '../../api/client'
import type { Scope } from '../../api/search'
import { saveFile } from '../../parts/saving'

export type Format = 'csv' | 'ndjson' | 'parquet'

export interface Progress {
  bytes: number
  /** The number of lines so far; always 0 for Parquet, which has no lines. */
  lines: number
}

const NEWLINE = 10
const ERROR_START = '{"error":'
const LAST_BYTES = 64 * 1024

interface SaveWindow {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{
    createWritable: () => Promise<WritableStream<Uint8Array>>
  }>
}

/** Asks for a place if the browser can write to files; otherwise collects the file in memory and saves it at the end. */
export async function download(
  url: string,
  name: string,
  format: Format,
  tell: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const file = await (window as SaveWindow).showSaveFilePicker?.({ suggestedName: name })
  const target = (await file?.createWritable()) ?? null
  try {
    const response = await send('GET', url, { signal })
    if (!response.body) throw new Error('the browser does not support streaming')
    const watch = new Watch(format, tell)
    await write(response.body.pipeThrough(watch.stream), target, watch, name)
  } catch (error) {
    // An incomplete file could be mistaken for a complete one.
    await target?.abort().catch(() => undefined)
    if (signal.aborted) throw signal.reason
    throw error instanceof TypeError ? new Error('the connection was lost during the download') : error
  }
}

async function write(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
  target: WritableStream<Uint8Array> | null,
  watch: Watch,
  name: string,
): Promise<void> {
  if (target) {
    await content.pipeTo(target, { preventClose: true })
    watch.check()
    await target.close()
  } else {
    const whole = await new Response(content).blob()
    watch.check()
    saveFile(whole, name)
  }
}

/** Counts lines and checks the last one: an export that failed reports the error there. */
export class Watch {
  readonly stream: TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>
  private progress: Progress = { bytes: 0, lines: 0 }
  private last: Uint8Array = new Uint8Array()

  constructor(
    private readonly format: Format,
    tell: (progress: Progress) => void,
  ) {
    this.stream = new TransformStream({
      transform: (piece, controller) => {
        this.count(piece)
        tell(this.progress)
        controller.enqueue(piece)
      },
    })
  }

  private count(piece: Uint8Array): void {
    let { lines } = this.progress
    if (this.format !== 'parquet') for (const byte of piece) if (byte === NEWLINE) lines += 1
    this.progress = { bytes: this.progress.bytes + piece.length, lines }
    this.last =
      piece.length >= LAST_BYTES ? piece.slice(-LAST_BYTES) : joinBytes(this.last, piece).slice(-LAST_BYTES)
  }

  check(): void {
    if (this.format !== 'ndjson') return
    const line = new TextDecoder().decode(this.last).trimEnd().split('\n').at(-1) ?? ''
    if (!line.startsWith(ERROR_START)) return
    const { error } = JSON.parse(line) as { error: { message: string } }
    throw new Error(`the export is incomplete: ${error.message}`)
  }
}

function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length)
  joined.set(one)
  joined.set(other, one.length)
  return joined
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The same download with curl, with a placeholder for the key. */
export function writeCurl(url: string, name: string): string {
  const address = new URL(url, location.origin).href
  return `curl -fsS -H "Authorization: Bearer $LOGBOOM_TOKEN" -o ${quoteForShell(name)} ${quoteForShell(address)}`
}

/** The same search with the command-line client. */
export function writeCommand(scope: Scope, canonical: string): string {
  const options = [
    ['--url', location.origin],
    ['--env', scope.env],
    ['--index', scope.index],
    ['--from', scope.from],
    ['--to', scope.to],
    ['--timezone', scope.timezone],
  ].flatMap(([name, value]) => (value ? [name, quoteForShell(value)] : []))
  return ['logboom query', ...options, '--', quoteForShell(canonical || '*')].join(' ')
}
