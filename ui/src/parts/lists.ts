/** Lists written with commas, as addresses and the API have them. */

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
}

/** With one more, or without it if it is there. */
export function toggle(list: string[], one: string): string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : [...list, one]
}
