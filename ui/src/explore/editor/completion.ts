/** Suggestions of the server while a query is typed. */
import {
  autocompletion,
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { completeQuery, type Suggestion } from '../../api/search'
import { showLine } from '../../text/harmless'
import { toCodePoints } from './positions'
import { findSpan, isInviting } from './span'

/** Where fields and values are looked up. */
export interface Where {
  env: string
  index: string
}

const TYPING_PAUSE_MS = 120
/** They are mostly wanted without an argument. */
const WITHOUT_ARGUMENT = new Set(['count', 'rate'])

export function queryCompletion(where: () => Where): Extension {
  return autocompletion({
    override: [(context) => complete(context, where())],
    activateOnTypingDelay: TYPING_PAUSE_MS,
    // Enter runs the query; what is to be taken is chosen by the arrows first, or taken by Tab.
    selectOnOpen: false,
    interactionDelay: 0,
    icons: false,
    maxRenderedOptions: 60,
    addToOptions: [{ render: renderKind, position: 20 }],
  })
}

function renderKind({ type }: Completion): Node {
  const kind = document.createElement('span')
  kind.className = 'kind'
  kind.textContent = type ?? ''
  return kind
}

async function complete(context: CompletionContext, { env, index }: Where): Promise<CompletionResult | null> {
  const query = context.state.doc.toString()
  const before = query.slice(0, context.pos)
  if (!context.explicit && !isInviting(before)) return null
  const controller = new AbortController()
  context.addEventListener('abort', () => controller.abort(), { onDocChange: true })
  const suggestions = await ask(query, context.pos, env, index, controller.signal)
  const [first] = suggestions
  if (!first || context.aborted) return null
  const { from } = findSpan(query, context.pos, first.kind)
  return { from, options: suggestions.map(makeOption), filter: false }
}

/** A server that has no answer is no reason to disturb who types. */
async function ask(
  query: string,
  cursor: number,
  env: string,
  index: string,
  signal: AbortSignal,
): Promise<Suggestion[]> {
  try {
    return await completeQuery(query, toCodePoints(query, cursor), env, index, signal)
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
  // The next thing to choose is the value of a field, or the argument of a function.
  if (text.endsWith(':') || text.endsWith('()')) startCompletion(view)
}

/** What is inserted, and how far before its end the cursor stays. */
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
