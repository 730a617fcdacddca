/** Copies text to the clipboard, even on a page without TLS, where the modern API is unavailable. */
import { toasts } from './toasts.svelte'

export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    toasts.say(what)
  } catch (error) {
    toasts.complain(error)
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('the browser blocked access to the clipboard')
}
