/** Changes single parts of a query that found nothing. The parts are those of the query and its filters. */
import { parseQuery } from '../../api/search'
import { toasts } from '../../parts/toasts.svelte'
import type { Explore } from '../explore.svelte'
import { quote, writeName } from './filters'
import { joinPipes, splitPipes } from '../query/pipes'

/** The field of the index, which is also selected next to the query. */
export const INDEX = '_index'

/** The query with these parts and its original pipes. */
export function joinClauses(clauses: string[], canonical: string): string {
  const pipes = splitPipes(canonical).slice(1)
  const filter = clauses.map((clause) => (clause.includes(' ') ? `(${clause})` : clause)).join(' ')
  return joinPipes([filter || (pipes.length ? '*' : ''), ...pipes])
}

function ask(explore: Explore, clauses: string[]): void {
  explore.change({ query: joinClauses(clauses, explore.answer.value?.query ?? ''), filters: [] })
}

function listClauses(explore: Explore): string[] {
  return explore.answer.value?.explanation?.clauses.map((clause) => clause.query) ?? []
}

export function dropClause(explore: Explore, clause: string): void {
  ask(
    explore,
    listClauses(explore).filter((each) => each !== clause),
  )
}

export function onlyClause(explore: Explore, clause: string): void {
  ask(explore, [clause])
}

export function replaceField(explore: Explore, name: string, near: string): void {
  void rewrite(explore, name, writeName(near))
}

export function replaceValue(explore: Explore, field: string, value: string, near: string): void {
  if (field === INDEX && explore.view.index === value) explore.change({ index: near })
  else void rewrite(explore, value, quote(near))
}

/** Search for the words of the query in any field. */
export function searchEverywhere(explore: Explore): void {
  const clauses = listClauses(explore)
  const isWord = (clause: string) => /^(?:[\w.-]+|"(?:[^"\\]|\\.)*")$/s.test(clause)
  ask(
    explore,
    clauses.map((clause) => (isWord(clause) ? `*:${clause}` : clause)),
  )
}

/** Replaces a name or value, and runs the result only if the server can parse it. */
async function rewrite(explore: Explore, old: string, replacement: string): Promise<void> {
  const canonical = explore.answer.value?.query ?? ''
  const query = replaceOnce(canonical, old, replacement)
  try {
    const { query: readable } = await parseQuery(query, explore.view.env, new AbortController().signal)
    explore.change({ query: readable, filters: [] })
  } catch (error) {
    toasts.complain(error)
  }
}

/** Replaces the first occurrence of the text as a whole word, quoted or not. */
export function replaceOnce(query: string, old: string, replacement: string): string {
  const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const place = new RegExp(`${escape(quote(old))}|(?<![\\w.-])${escape(old)}(?![\\w.-])`)
  return query.replace(place, () => replacement)
}
