/** Optimistic locking: values with the tag of the state in which they were read. */
import { ApiError, call, send, type Options } from './client'
import { parseJson } from './json'

export interface Tagged<T> {
  value: T
  /** Sent with a change, which is refused if anybody else has changed something since. */
  tag: string
}

export async function readTagged<T>(path: string, signal?: AbortSignal): Promise<Tagged<T>> {
  const response = await send('GET', path, signal ? { signal } : {})
  return { value: parseJson(await response.text()) as T, tag: response.headers.get('ETag') ?? '*' }
}

/** Makes a change only if the state still has this tag. */
export function change<T>(method: string, path: string, tag: string, options: Options = {}): Promise<T> {
  return call(method, path, { ...options, headers: { 'If-Match': tag } })
}

/** Whether somebody else changed it first. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.data.reason === 'changed'
}
