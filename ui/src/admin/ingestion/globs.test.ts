import { expect, it } from 'vitest'
import { baseOf, escapeGlob, globIn, globRotated, joinPath, parentOf } from './globs'

it('makes a glob that means one path, whatever its names hold', () => {
  expect(escapeGlob('/var/log/odd [name]*?.log')).toBe('/var/log/odd [[]name][*][?].log')
  expect(globRotated('/var/log/a[1].log')).toBe('/var/log/a[[]1].log*')
})

it('joins paths, also at the top and of roots', () => {
  expect(joinPath('/', 'var')).toBe('/var')
  expect(joinPath('/var', 'log')).toBe('/var/log')
  expect(joinPath('', '/srv/logs')).toBe('/srv/logs')
  expect(globIn('/', '**')).toBe('/**')
  expect(globIn('/srv/[x]', '*.log')).toBe('/srv/[[]x]/*.log')
})

it('goes up to the top and no further', () => {
  expect(parentOf('/var/log')).toBe('/var')
  expect(parentOf('/var/')).toBe('/')
  expect(parentOf('/')).toBe('')
  expect(parentOf('')).toBe('')
})

it('starts from the directory before the first wildcard', () => {
  expect(baseOf('/var/log/nginx/*.log')).toBe('/var/log/nginx')
  expect(baseOf('/var/**/x.log')).toBe('/var')
  expect(baseOf('/var/log/syslog')).toBe('/var/log')
  expect(baseOf('/*.log')).toBe('/')
  expect(baseOf('/x')).toBe('/')
  expect(baseOf('')).toBe('')
  expect(baseOf('logs/*')).toBe('')
})
