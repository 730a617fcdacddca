/** Counts with the word for what is counted. */
import { formatCount } from '../../parts/numbers'

/** `1 event`, `2,000 events`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`
}
