/** What drops down from a summary closes like a menu: by Escape, and by a click elsewhere (the navigation sees to its own). */

function listOpen(kinds: string): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>(kinds)]
}

/** Escape closes the one that was opened last and does nothing else then. */
export function closeByKey(event: KeyboardEvent): void {
  const drop = event.key === 'Escape' ? listOpen('details:is(.menu, .drop)[open]').at(-1) : undefined
  if (!drop) return
  event.preventDefault()
  event.stopPropagation()
  drop.open = false
  drop.querySelector('summary')?.focus()
}

export function closeByClick(event: Event): void {
  for (const drop of listOpen('details.drop[open]'))
    if (!drop.contains(event.target as Node)) drop.open = false
}
