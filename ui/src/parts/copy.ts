/** Puts text on the clipboard, also where a page without TLS may not use the modern way. */
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
