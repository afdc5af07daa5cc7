import { me } from '#shared/contract/accounts.ts'
import { requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { requestBytes, runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import type { World } from './world.ts'

const CONNECTIONS = 16

/**
 * The read of nearly every page, /auth/me (token, revocation, the user with balances, headers, log line), against the
 * least that a read can cost on this stack: a bare Fastify with one prepared select of the same rows.
 */
export async function measureReads(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { server, investors } = world.large
  const own = investors.map(investor => requestOf(world.tokenOf(investor), me, {}))
  // The bare server gets the same headers, so it reads as many bytes.
  const bare = investors.map(investor =>
    requestBytes('GET', `/user/${investor}`, { authorization: `Bearer ${world.tokenOf(investor)}` }),
  )
  const reads = (port: number, requests: Buffer[]) => {
    let next = 0
    const request = () => requests[next++ % requests.length]!
    return async () => (await runLoad({ port, connections: CONNECTIONS, seconds, request })).perSecond
  }
  const measured = await alternate(rounds, {
    me: { round: reads(server.port, own) },
    bare: { round: reads(world.bare.port, bare) },
  })
  return [
    figure(
      'readPerBare',
      { atLeast: 0.85 },
      { what: 'GET /auth/me', unit: 'per second', rounds: measured.me },
      { what: 'bare Fastify, one select', unit: 'per second', rounds: measured.bare },
    ),
  ]
}
