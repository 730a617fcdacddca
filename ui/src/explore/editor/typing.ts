/** Replaces a selection by typed text in the editor: a browser would add an inline style to keep the old look. */
import { EditorView } from '@codemirror/view'

export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || view.composing) return false
    if (view.state.selection.main.empty) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
