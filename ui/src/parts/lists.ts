/** Comma-separated lists, as used in addresses and by the API. */

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
}

/** The list with one item added, or removed if it was present. */
export function toggle(list: string[], one: string): string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : [...list, one]
}
