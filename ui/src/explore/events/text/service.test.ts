import { expect, test } from 'vitest'
import { chooseServiceField, findOrigin } from './service'

test('the column is the field that names most services', () => {
  expect(chooseServiceField([{ service: 'a' }, { app: 'b' }, { app: 'c', host: 'd' }])).toBe('app')
  expect(chooseServiceField([{ host: 'a', 'service.name': 'b' }])).toBe('service.name')
  expect(chooseServiceField([{ service: '', hostname: 'a' }])).toBe('hostname')
  expect(chooseServiceField([{ message: 'x' }])).toBeNull()
  expect(chooseServiceField([])).toBeNull()
})

test('an event that calls it otherwise shows it as well', () => {
  expect(findOrigin({ app: 'shop', host: 'web-1' }, 'service')).toEqual({ field: 'app', value: 'shop' })
  expect(findOrigin({ app: 'shop', host: 'web-1' }, 'host')).toEqual({ field: 'host', value: 'web-1' })
  expect(findOrigin({ service: null }, 'service')).toBeNull()
})
