/** An event as the tree it was before the server flattened it: dotted names become branches again. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'

export interface Node {
  /** The displayed name; for an element of a list, its index. */
  name: string
  /** The name of the field in filters. */
  field: string
  /** The value of a leaf. */
  value?: Json
  /** The children of a branch. */
  children?: Node[]
  isList?: boolean
}

/** The path of a field: its branches, then its own name. */
function splitName(name: string, names: Set<string>): string[] {
  const parts = name.split('.')
  // `a.b..c` and `.a` were never nested.
  if (parts.some((part) => !part)) return [name]
  for (let depth = 1; depth < parts.length; depth++) {
    // A name that has a value cannot be a branch as well.
    if (names.has(parts.slice(0, depth).join('.'))) {
      return [...parts.slice(0, depth - 1), parts.slice(depth - 1).join('.')]
    }
  }
  return parts
}

function makeNode(name: string, field: string, value: Json): Node {
  if (Array.isArray(value)) {
    const children = value.map((each, place) => makeNode(String(place), field, each))
    return { name, field, children, isList: true }
  }
  if (value !== null && typeof value === 'object') {
    const children = Object.entries(value).map(([key, each]) => makeNode(key, `${field}.${key}`, each))
    return { name, field, children }
  }
  return { name, field, value }
}

export function growTree(row: Row): Node[] {
  const names = new Set(Object.keys(row))
  const roots: Node[] = []
  const branches = new Map<string, Node[]>()
  for (const [field, value] of Object.entries(row)) {
    const parts = splitName(field, names)
    let children = roots
    parts.slice(0, -1).forEach((part, depth) => {
      const path = parts.slice(0, depth + 1).join('.')
      let inner = branches.get(path)
      if (!inner) {
        inner = []
        branches.set(path, inner)
        children.push({ name: part, field: path, children: inner })
      }
      children = inner
    })
    children.push(makeNode(parts.at(-1) ?? field, field, value))
  }
  return roots
}
