import { expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { openReceiver } from '#test/support/receiver.ts'
import { naming } from '#test/support/resolver.ts'
import { requestOutside } from './outside-request.ts'
import { PrivateAddress } from './public-address.ts'

const post = (url: string, mayBePrivate: boolean) =>
  requestOutside(new URL(url), {
    method: 'POST',
    headers: {},
    body: 'x',
    signal: AbortSignal.timeout(20_000),
    mayBePrivate,
  })

test('a host with an address that is down is reached at its next, by what was checked', async () => {
  const receiver = await openReceiver()
  atEnd(receiver.close)
  const { port } = new URL(receiver.url)
  const asked = naming('hooks.invalid', ['::1', '127.0.0.2', '127.0.0.1'])
  const answer = await post(`http://hooks.invalid:${port}/`, true)
  expect(answer.resume().statusCode).toBe(200)
  expect(asked()).toBe(1)
  expect(receiver.received).toMatchObject([{ headers: { host: `hooks.invalid:${port}` } }])
})

test.each([[['1.1.1.1', '10.0.0.1']], [['10.0.0.1', '1.1.1.1']]])(
  'a host with the addresses %j is not connected to',
  async addresses => {
    naming('hooks.invalid', addresses)
    await expect(post('https://hooks.invalid/', false)).rejects.toBeInstanceOf(PrivateAddress)
  },
)
