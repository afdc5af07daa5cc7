import { join } from 'node:path'
import { ready } from '#shared/contract/site.ts'
import { type Figure, figure } from './figure.ts'
import { requestBytes, runLoad } from './load.ts'
import { percentile } from './measure.ts'
import type { Scale } from './scale.ts'
import { startServer } from './servers.ts'
import type { World } from './world.ts'

/** Everything that can be asked for without an account. */
const allPages = [
  ...['/', '/about', '/investment-plans', '/services', '/contact', '/proof', '/faq', '/nowhere'],
  ...['/login', '/register', '/register?ref=CODE', '/verify/someone@example.com', '/forgot-password'],
  ...['/reset-password', '/invitation', '/mailbox', '/dashboard/home', '/admin/home'],
  ...['/api/docs', '/api/openapi.json'],
]
/** Longest p99 in milliseconds, so that a load balancer's probe never fails. */
const LIMIT_MS = 250

/** How long readiness probes take while a stranger floods a page, the slowest page counting, against their time at rest. */
export async function measureFlood(world: World, { flood, seconds }: Scale): Promise<Figure[]> {
  const { port } = world.large.server
  const stranger = await startServer({
    script: ['bench/stranger.ts'],
    env: { TARGET_PORT: String(port) },
    readyPath: '/',
    log: join(world.postgres.temporaryFolder, 'stranger.log'),
  })
  const tell = (what: string) => fetch(`http://127.0.0.1:${stranger.port}${what}`)
  const probe = requestBytes('GET', `/api${ready.path}`, {})
  const probes = async () => {
    const { latenciesMs } = await runLoad({ port, connections: 1, seconds, request: () => probe })
    return percentile(latenciesMs, 0.99)
  }
  const flooded = async (page: string) => {
    await tell(`/flood?connections=${flood.connections}&page=${encodeURIComponent(page)}`)
    const p99 = await probes()
    await tell('/stop')
    return p99
  }
  const pages = allPages.slice(0, flood.pages)
  const slowest: number[] = []
  const rest: number[] = []
  try {
    // Warms up, and renders each page once.
    for (const page of pages) await flooded(page)
    for (let round = 0; round < flood.rounds; round++) {
      rest.push(await probes())
      let longest = 0
      for (const page of pages) longest = Math.max(longest, await flooded(page))
      slowest.push(longest)
    }
  } finally {
    await stranger.stop()
  }
  const of = (rounds: number[]) => ({ unit: 'milliseconds' as const, rounds })
  const p99 = { what: 'p99 of GET /api/ready during a flood', ...of(slowest) }
  return [
    figure('readyFloodPerRest', { atMost: 10 }, p99, { what: 'at rest', ...of(rest) }),
    figure('readyUnderFlood', { atMost: 1 }, p99, { what: 'limit', ...of(rest.map(() => LIMIT_MS)) }),
  ]
}
