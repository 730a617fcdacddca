import { expect, test } from 'vitest'
import type { Json } from '../../api/json'
import { growTree, type Node } from './tree'

/** The tree as plain JSON again. */
function fold(nodes: Node[]): Json {
  return Object.fromEntries(nodes.map((node) => [node.name, valueOf(node)]))
}

function valueOf(node: Node): Json {
  if (!node.children) return node.value ?? null
  return node.isList ? node.children.map(valueOf) : fold(node.children)
}

test('nests dotted names', () => {
  expect(fold(growTree({ 'http.status': 200, 'http.path': '/a', level: 'x' }))).toEqual({
    http: { status: 200, path: '/a' },
    level: 'x',
  })
})

test('leaves a name flat where its branch has a value of its own', () => {
  expect(fold(growTree({ a: 1, 'a.b': 2, 'a.b.c': 3 }))).toEqual({ a: 1, 'a.b': 2, 'a.b.c': 3 })
  expect(fold(growTree({ 'x.a': 1, 'x.a.b': 2 }))).toEqual({ x: { a: 1, 'a.b': 2 } })
})

test('leaves names flat that were never nested', () => {
  expect(fold(growTree({ 'a..b': 1, '.c': 2, 'd.': 3 }))).toEqual({ 'a..b': 1, '.c': 2, 'd.': 3 })
})

test('opens lists, whose elements are filtered by the name of the list', () => {
  const [tags] = growTree({ tags: ['a', 5n, null] })
  expect(tags?.isList).toBe(true)
  expect(tags?.children?.map((node) => [node.name, node.field, node.value])).toEqual([
    ['0', 'tags', 'a'],
    ['1', 'tags', 5n],
    ['2', 'tags', null],
  ])
})

test('names of the language are just names', () => {
  const tree = growTree({ '__proto__.x': 1, 'constructor.name': 'y' })
  expect(tree.map((node) => node.name)).toEqual(['__proto__', 'constructor'])
})

test('every leaf has the field of the event', () => {
  const row = { 'a.b.c': 1, 'a.b': 2, z: 'q' }
  const leaves = (nodes: Node[]): string[] =>
    nodes.flatMap((node) => (node.children ? leaves(node.children) : [node.field]))
  expect(leaves(growTree(row)).sort()).toEqual(Object.keys(row).sort())
})
