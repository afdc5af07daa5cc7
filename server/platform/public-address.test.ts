import { expect, test } from 'vitest'
import { isPublicAddress, PrivateAddress, publicAddressesOf } from './public-address.ts'

test('only addresses of the public internet are public', () => {
  for (const ip of ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']) {
    expect(isPublicAddress(ip), ip).toBe(true)
  }
  for (const ip of [
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'localhost', ''],
  ]) {
    expect(isPublicAddress(ip), ip).toBe(false)
  }
})

test('a host is refused by what its name resolves to, however it is written', async () => {
  for (const url of [
    'http://localhost/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1/',
  ]) {
    await expect(publicAddressesOf(new URL(url).hostname, false), url).rejects.toBeInstanceOf(PrivateAddress)
  }
  expect(await publicAddressesOf('127.0.0.1', true)).toEqual([{ address: '127.0.0.1', family: 4 }])
})
