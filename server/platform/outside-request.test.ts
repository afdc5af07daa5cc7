import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'
import { expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { openReceiver } from '#test/support/receiver.ts'
import { postOutside } from './outside-request.ts'
import { PrivateAddress } from './public-address.ts'

/** Runs it while the resolver knows one name; returns how often it was asked. */
async function whileNamed(name: string, addresses: readonly string[], act: () => Promise<void>) {
  const { lookup } = dns
  let asked = 0
  const answer = async (asking: string) => {
    expect(asking).toBe(name)
    asked += 1
    return addresses.map(address => ({ address, family: isIP(address) }))
  }
  Object.assign(dns, { lookup: answer })
  syncBuiltinESMExports()
  try {
    await act()
  } finally {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  }
  return asked
}

const post = (url: string, mayBePrivate: boolean) =>
  postOutside(new URL(url), { headers: {}, body: 'x', signal: AbortSignal.timeout(20_000), mayBePrivate })

test('a host with an address that is down is reached at its next, by what was checked', async () => {
  const receiver = await openReceiver()
  atEnd(receiver.close)
  const { port } = new URL(receiver.url)
  const reach = async () => {
    const answer = await post(`http://hooks.invalid:${port}/`, true)
    expect(answer.resume().statusCode).toBe(200)
  }
  expect(await whileNamed('hooks.invalid', ['::1', '127.0.0.2', '127.0.0.1'], reach)).toBe(1)
  expect(receiver.received).toMatchObject([{ headers: { host: `hooks.invalid:${port}` } }])
})

test('a host with one private address is not connected to, whichever comes first', async () => {
  const refused = () => expect(post('https://hooks.invalid/', false)).rejects.toBeInstanceOf(PrivateAddress)
  await whileNamed('hooks.invalid', ['1.1.1.1', '10.0.0.1'], refused)
  await whileNamed('hooks.invalid', ['10.0.0.1', '1.1.1.1'], refused)
})
