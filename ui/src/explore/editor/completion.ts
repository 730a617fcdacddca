/** Suggestions of the server while a query is typed. */
import {
  autocompletion,
  currentCompletions,
  pickedCompletion,
  selectedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { completeQuery, type Scope, type Suggestion } from '../../api/search'
import { showLine } from '../../text/harmless'
import { toCodePoints } from './positions'
import { findSpan, isInviting } from './span'

/** The environments, indexes and times in which fields and values are looked up. */
export type Where = Pick<Scope, 'env' | 'index' | 'from' | 'to' | 'timezone'>

const TYPING_PAUSE_MS = 120
/** Functions that are mostly used without an argument. */
const WITHOUT_ARGUMENT = new Set(['count', 'rate'])

/** How many earlier queries are offered in an empty editor. */
const MAX_RECENT = 8
/** Pipes and their aliases alone are about a hundred. */
const MAX_SHOWN = 200

/** `past` returns earlier queries, the newest first. */
export function queryCompletion(where: () => Where, past: () => string[]): Extension {
  return autocompletion({
    override: [(context) => complete(context, where(), past())],
    activateOnTypingDelay: TYPING_PAUSE_MS,
    interactionDelay: 0,
    icons: false,
    maxRenderedOptions: MAX_SHOWN,
    addToOptions: [{ render: renderKind, position: 20 }],
  })
}

/** Whether Enter accepts the first suggestion without moving to it: only where the typed text is not valid by itself. */
export function isTakenByEnter(kind: string, typed: string, before: string, labels: string[]): boolean {
  const folded = typed.toLowerCase()
  if (labels.some((label) => label.toLowerCase() === folded)) return false
  if (kind === 'pipe' || kind === 'function') return true
  if (kind === 'value') return typed === ''
  const isBegun = labels[0]?.toLowerCase().startsWith(folded) ?? false
  return kind === 'field' && before.includes('|') && isBegun
}

/** Whether Enter accepts the present suggestion; see above. */
export function mayTake({ state }: EditorView): boolean {
  const chosen = selectedCompletion(state)
  if (!chosen?.type) return false
  const cursor = state.selection.main.head
  const query = state.doc.toString()
  const { from } = findSpan(query, cursor, chosen.type as Suggestion['kind'])
  const labels = currentCompletions(state).map(({ label }) => label)
  return isTakenByEnter(chosen.type, query.slice(from, cursor), query.slice(0, from), labels)
}

function renderKind({ type }: Completion): Node {
  const kind = document.createElement('span')
  kind.className = 'kind'
  kind.textContent = type ?? ''
  return kind
}

async function complete(
  context: CompletionContext,
  where: Where,
  past: string[],
): Promise<CompletionResult | null> {
  const query = context.state.doc.toString()
  if (!query) return context.explicit ? recall(past) : null
  const before = query.slice(0, context.pos)
  if (!context.explicit && !isInviting(before)) return null
  const controller = new AbortController()
  context.addEventListener('abort', () => controller.abort(), { onDocChange: true })
  const suggestions = await ask(query, toCodePoints(query, context.pos), where, controller.signal)
  const [first] = suggestions
  if (!first || context.aborted) return null
  const { from } = findSpan(query, context.pos, first.kind)
  return { from, options: suggestions.map(makeOption), filter: false }
}

function recall(past: string[]): CompletionResult | null {
  if (!past.length) return null
  const options = past.slice(0, MAX_RECENT).map((query) => ({
    label: showLine(query),
    type: 'recent',
    apply: (view: EditorView) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: query },
        selection: { anchor: query.length },
      }),
  }))
  return { from: 0, options, filter: false }
}

/** A failed request for suggestions must not disturb typing. */
async function ask(query: string, cursor: number, where: Where, signal: AbortSignal): Promise<Suggestion[]> {
  try {
    const found = await completeQuery(query, cursor, where, signal)
    if (found.some(({ kind }) => kind !== 'keyword')) return found
    const { env, index } = where
    const elsewhere = await completeQuery(query, cursor, { env, index }, signal)
    return elsewhere.map((each) => ({ ...each, detail: 'not in this time range' }))
  } catch {
    return []
  }
}

function makeOption(suggestion: Suggestion): Completion {
  const label = showLine(suggestion.text)
  return {
    label,
    type: suggestion.kind,
    detail: showLine(suggestion.detail),
    apply: (view, completion) => apply(view, completion, suggestion),
  }
}

function apply(view: EditorView, completion: Completion, suggestion: Suggestion): void {
  const query = view.state.doc.toString()
  const cursor = view.state.selection.main.head
  const { from, to } = findSpan(query, cursor, suggestion.kind)
  const { text, offset } = finish(suggestion, query, from, to)
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length - offset },
    annotations: pickedCompletion.of(completion),
    userEvent: 'input.complete',
  })
  // Continue with the value of the field, or the argument of the function.
  if (text.endsWith(':') || text.endsWith('()')) startCompletion(view)
}

/** The inserted text, and how far before its end the cursor is placed. */
export function finish(
  { text, kind }: Pick<Suggestion, 'text' | 'kind'>,
  query: string,
  from: number,
  to: number,
): { text: string; offset: number } {
  const after = query.slice(to)
  const isInPipe = query.slice(0, from).includes('|')
  if (kind === 'field' && !isInPipe && !/^\s*[:=!<>]/.test(after)) return { text: `${text}:`, offset: 0 }
  if (kind === 'function' && !WITHOUT_ARGUMENT.has(text) && !after.startsWith('(')) {
    return { text: `${text}()`, offset: 1 }
  }
  if ((kind === 'pipe' || kind === 'keyword') && !/^\s/.test(after)) return { text: `${text} `, offset: 0 }
  return { text, offset: 0 }
}
