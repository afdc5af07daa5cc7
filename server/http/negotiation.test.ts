import { expect, test } from 'vitest'
import { encodingFor, hasVersion } from './negotiation.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['deflate', 'identity'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['identity, br;q=0.2', 'identity'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
  ['*;q=0', 'identity'],
  ['brotli', 'identity'],
  ['br;q=nonsense', 'identity'],
])('Accept-Encoding %j is answered in %s', (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding)
})

test.each([
  [undefined, false],
  ['"one"', true],
  ['W/"one"', true],
  ['"two", "one"', true],
  ['*', true],
  ['"two"', false],
  ['one', false],
])('If-None-Match %j names the version "one": %s', (header, has) => {
  expect(hasVersion(header, '"one"')).toBe(has)
})
