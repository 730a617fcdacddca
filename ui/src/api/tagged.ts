/** What can be changed by several people: values with the tag of the state they were read in. */
import { ApiError, call, send, type Options } from './client'
import { parseJson } from './json'

export interface Tagged<T> {
  value: T
  /** Sent back with a change, which is then refused if anybody else changed something since. */
  tag: string
}

export async function readTagged<T>(path: string, signal?: AbortSignal): Promise<Tagged<T>> {
  const response = await send('GET', path, signal ? { signal } : {})
  return { value: parseJson(await response.text()) as T, tag: response.headers.get('ETag') ?? '*' }
}

/** A change that counts only while the state is still the one of the tag. */
export function change<T>(method: string, path: string, tag: string, options: Options = {}): Promise<T> {
  return call(method, path, { ...options, headers: { 'If-Match': tag } })
}

/** Whether somebody else was faster. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.data.reason === 'changed'
}
