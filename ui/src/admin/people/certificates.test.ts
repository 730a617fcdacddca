import { expect, test } from 'vitest'
import { joinCertificates, splitCertificates } from './certificates'

const ONE = '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n'
const TWO = '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n'

test('certificates are split and joined again', () => {
  expect(splitCertificates(joinCertificates([ONE, TWO]))).toEqual([ONE, TWO])
  expect(splitCertificates(`\n${ONE.trim()}\r\n${TWO}`)).toEqual([ONE, TWO])
  expect(splitCertificates(' \n')).toEqual([])
})

test('anything else is kept', () => {
  expect(splitCertificates(`${ONE}MIIE`)).toEqual([ONE, 'MIIE'])
})
