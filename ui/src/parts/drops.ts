/** Closes open dropdowns on Escape and on a click elsewhere, except those of the navigation, which does it itself. */

function listOpen(kinds: string): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>(kinds)]
}

/** Escape closes the dropdown that was opened last, and nothing else. */
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
