/** Numbers of things: `1 event`, `2,000 events`. */
import { formatCount } from './numbers'

export function formatMany(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
