/** A client of the server's public API: JSON in both directions, errors as `ApiError`. */
import { parseJson } from './json'

export interface ErrorData {
  field?: string
  start?: number
  end?: number
  expected?: string[]
  suggestion?: string | null
  position?: number
  /** For a 409: somebody else changed it first. */
  reason?: 'changed'
}

/** An error of the server with its own message; `data` has the other members of the envelope. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly data: ErrorData = {},
    /** After how many seconds to retry, if the server says so. */
    readonly retryAfterS: number | null = null,
  ) {
    super(message)
  }
}

export type Parameter = string | number | boolean | null | undefined

export interface Options {
  /** Query parameters; those without a value are left out. */
  query?: Record<string, Parameter>
  body?: unknown
  signal?: AbortSignal
  headers?: Record<string, string>
}

type Listener = () => void
let whenSignedOut: Listener = () => undefined

/** Calls the listener whenever the server says that the session has ended. */
export function onSignedOut(listener: Listener): void {
  whenSignedOut = listener
}

export function makeUrl(path: string, query: Record<string, Parameter> = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text ? `${path}?${text}` : path
}

export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const { query, body, signal, headers } = options
  const response = await reach(makeUrl(path, query), {
    method,
    credentials: 'same-origin',
    headers: body === undefined ? { ...headers } : { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return response
  const error = await readError(response)
  if (error.status === 401 && !path.startsWith('/api/auth/')) whenSignedOut()
  throw error
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (isAborted(error)) throw error
    throw new ApiError(0, 'unreachable', 'the server cannot be reached')
  }
}

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } & ErrorData }
    const { code, message, ...data } = error
    return new ApiError(response.status, code, message, data, readWait(response))
  } catch {
    const message = `the server answered ${response.status}`
    return new ApiError(response.status, 'internal', message, {}, readWait(response))
  }
}

function readWait(response: Response): number | null {
  const seconds = Number(response.headers.get('Retry-After') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}

/** Whether a retry may help: there was no answer, or the server is overloaded, failing or starting. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500
}

export async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const response = await send(method, path, options)
  const text = await response.text()
  return (text ? parseJson(text) : undefined) as T
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** An error as a sentence for people. */
export function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
