import { describe, expect, it } from 'vitest'
import { ApiError } from '../api/client'
import { findField, Form } from './form.svelte'

const VALUES = { name: 'nginx', exclude: [] as string[], multiline: { pattern: '', max_lines: 500 } }

describe('the field that an error names', () => {
  it('is found by its dotted name', () => {
    expect(findField(VALUES, 'multiline.pattern')).toBe('multiline.pattern')
    expect(findField(VALUES, 'exclude')).toBe('exclude')
  })

  it('is the one that holds what is named inside of it', () => {
    expect(findField(VALUES, 'exclude.3')).toBe('exclude')
    expect(findField(VALUES, 'name.first')).toBe('name')
  })

  it('is none for other names, for groups, and for what every object has', () => {
    expect(findField(VALUES, '')).toBe('')
    expect(findField(VALUES, 'poll')).toBe('')
    expect(findField(VALUES, 'multiline')).toBe('')
    expect(findField(VALUES, 'multiline.other')).toBe('')
    expect(findField(VALUES, 'toString')).toBe('')
  })
})

describe('an error of the API', () => {
  const refuse = (field?: string, status = 400, message = 'name is empty') =>
    new ApiError(status, 'invalid', message, field === undefined ? {} : { field })

  it('shows at its field', () => {
    const form = new Form(structuredClone(VALUES))
    form.take(refuse('name'))
    expect(form.errors).toEqual({ name: 'Name is empty' })
    expect(form.failure).toBe('')
  })

  it('shows at its field behind the prefix of a section, and only behind it', () => {
    const form = new Form({ host: '' }, { prefix: 'syslog' })
    form.take(refuse('syslog.host'))
    expect(form.errors).toEqual({ host: 'Name is empty' })
    const other = new Form({ host: '' }, { prefix: 'syslog' })
    other.take(refuse('general.host'))
    expect(other.errors).toEqual({})
    expect(other.failure).toBe('Name is empty')
  })

  it('shows at the form when it names no field of it', () => {
    const form = new Form(structuredClone(VALUES))
    form.take(refuse())
    expect(form.failure).toBe('Name is empty')
    expect(form.isOvertaken).toBe(false)
  })

  it('says that somebody was faster only when that is so', () => {
    const form = new Form(structuredClone(VALUES))
    form.take(new ApiError(409, 'conflict', 'generation 4, expected 3', { reason: 'changed' }))
    expect(form.isOvertaken).toBe(true)
    expect(form.failure).toBe('')
    form.clear()
    form.take(refuse(undefined, 409, 'the password was changed meanwhile'))
    expect(form.isOvertaken).toBe(false)
    expect(form.failure).toBe('The password was changed meanwhile')
    form.clear()
    form.take(refuse('name', 409, "environment 'a' exists already"))
    expect(form.isOvertaken).toBe(false)
    expect(form.errors).toEqual({ name: "Environment 'a' exists already" })
  })

  it('goes away when its field is written, and no other does', () => {
    const form = new Form(structuredClone(VALUES))
    form.errors = { name: 'wrong', 'multiline.pattern': 'wrong too' }
    form.write('multiline.pattern', '^x')
    expect(form.values.multiline.pattern).toBe('^x')
    expect(form.read('multiline.pattern')).toBe('^x')
    expect(form.errors).toEqual({ name: 'wrong' })
  })
})
