/** The theme of the editor. It is in a shadow root, where only the custom properties of the page apply. */
import { EditorView } from '@codemirror/view'

const POPUP = {
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  backgroundColor: 'var(--surface-raised)',
  color: 'var(--ink)',
  boxShadow: 'var(--shadow)',
}

export const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', fontSize: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.45', maxHeight: '12rem' },
  '.cm-content': { padding: '0.3rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.5rem' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-placeholder': { color: 'var(--ink-faint)' },
  '.cm-tooltip': { ...POPUP, zIndex: '6' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    maxHeight: '18rem',
    maxWidth: 'min(40rem, 92vw)',
    padding: 'var(--gap-tiny)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: 'var(--gap-small)',
    padding: '0.15rem 0.4rem',
    borderRadius: 'calc(var(--radius) - 2px)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--surface-selected)',
    color: 'var(--ink)',
  },
  '.cm-completionLabel': { flex: 'none', maxWidth: '75%', overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    flex: '1 10 auto',
    marginLeft: '0',
    color: 'var(--ink-faint)',
    fontFamily: 'var(--font)',
    fontStyle: 'normal',
    textAlign: 'end',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.kind': { minWidth: '3.6rem', color: 'var(--ink-faint)', fontFamily: 'var(--font)' },
  '.cm-diagnostic': { padding: '0.35rem 0.6rem', fontFamily: 'var(--font)', maxWidth: '30rem' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnosticAction': {
    ...POPUP,
    border: '1px solid var(--line-strong)',
    boxShadow: 'none',
    marginLeft: '0',
    padding: '0.15rem 0.5rem',
    font: 'inherit',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--bad)' },
})
