/** The fields of events, page by page, because there may be very many. */
import { listFields, type FieldPage, type FieldSummary, type Scope } from '../../api/search'

const PAGE_FIELDS = 500

/** The most frequent fields, and those in `kept`, which are always shown. */
export async function findFirst(scope: Scope, kept: string[], signal: AbortSignal): Promise<FieldPage> {
  const page = await listFields(scope, { limit: PAGE_FIELDS }, signal)
  const missing = kept.filter((name) => !page.fields.some((field) => field.name === name))
  if (page.nextOffset === null || !missing.length) return page
  const others = await listFields(scope, { names: missing.join(',') }, signal)
  return { ...page, fields: mergeFields(page.fields, others.fields) }
}

/** A page joined with the next one. */
export async function findMore(scope: Scope, page: FieldPage, signal: AbortSignal): Promise<FieldPage> {
  const next = await listFields(scope, { limit: PAGE_FIELDS, offset: page.nextOffset ?? 0 }, signal)
  return { ...next, fields: mergeFields(page.fields, next.fields) }
}

/** The first fields whose names contain a text. */
export function findNamed(scope: Scope, text: string, signal: AbortSignal): Promise<FieldPage> {
  return listFields(scope, { contains: text, limit: PAGE_FIELDS }, signal)
}

export function mergeFields(known: FieldSummary[], added: FieldSummary[]): FieldSummary[] {
  return [...new Map([...known, ...added].map((field) => [field.name, field])).values()]
}
