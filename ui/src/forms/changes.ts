/** The members that have changed. */
export function findChanges<V extends object>(before: V, after: V): Partial<V> {
  const names = Object.keys(after) as (keyof V)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<V>
}
