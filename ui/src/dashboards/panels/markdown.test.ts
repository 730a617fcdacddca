import { expect, test } from 'vitest'
import { isHarmless, readInlines, readMarkdown } from './markdown'

test('headings, paragraphs, lists and code are told apart', () => {
  const text = '# A\none\ntwo\n\n- x\n- y\n1. z\n```\n<b> **raw**\n```\nend'
  expect(readMarkdown(text).map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'list',
    'list',
    'code',
    'paragraph',
  ])
  expect(readMarkdown('')).toEqual([])
  expect(readMarkdown('```\nnever closed')).toEqual([{ kind: 'code', text: 'never closed' }])
})

test('words are bold, italic, code or links', () => {
  expect(readInlines('a **b** *c* `d` [e](https://f.example/g)')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'c' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'd' },
    { kind: 'text', text: ' ' },
    { kind: 'link', text: 'e', address: 'https://f.example/g' },
  ])
})

test.each([
  'javascript:alert(1)',
  'JAVASCRIPT:x',
  'data:text/html,x',
  '//evil.example',
  '/api/x',
  'vbscript:x',
  '#x',
])('%s is no link', (address) => {
  expect(isHarmless(address)).toBe(false)
  expect(readInlines(`[x](${address})`).every(({ kind }) => kind === 'text')).toBe(true)
})

test('HTML stays text', () => {
  const text = '<script>alert(1)</script> <img src=x onerror=alert(1)>'
  expect(readMarkdown(text)).toEqual([{ kind: 'paragraph', inlines: [{ kind: 'text', text }] }])
})
