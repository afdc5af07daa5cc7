import { statement } from '#shared/contract/ledger.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { make, requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { alternate, percentile } from './measure.ts'
import type { Scale } from './scale.ts'
import type { Site, World } from './world.ts'

/** Lines per page. */
const LINES = 50

/**
 * Pages of investors' statements in a large ledger against a small one, requested one at a time: a third are first
 * pages of the long statement, a third its deep pages (the middle, and the last full one), a third first pages of other
 * investors. Every page is full.
 */
export async function measurePages(
  world: World,
  { rounds, seconds, small, large }: Scale,
): Promise<Figure[]> {
  const pages = async (site: Site) => {
    const requests = await pageRequests(world, site)
    let next = 0
    const request = () => requests[next++ % requests.length]!
    return async () => {
      const { latenciesMs } = await runLoad({ port: site.server.port, connections: 1, seconds, request })
      return percentile(latenciesMs, 0.95)
    }
  }
  const measured = await alternate(rounds, {
    small: { round: await pages(world.small) },
    large: { round: await pages(world.large) },
  })
  const p95 = ({ entries }: { entries: number }, of: number[]) => ({
    what: `p95 of a page at ${entries.toLocaleString('en')} entries`,
    unit: 'milliseconds' as const,
    rounds: of,
  })
  return [figure('pageAt1MPer1k', { atMost: 1.5 }, p95(large, measured.large), p95(small, measured.small))]
}

async function pageRequests(world: World, site: Site): Promise<Buffer[]> {
  const page = (investor: string, cursor?: string) =>
    requestOf(world.tokenOf(investor), statement, { query: { limit: LINES, cursor } })
  const { oneOfMany, investors } = site
  const deep = await deepCursors(world, site)
  return investors.flatMap((investor, n) => [
    page(oneOfMany),
    page(oneOfMany, deep[n % deep.length]),
    page(investor),
  ])
}

/** Cursors of the statement's middle and of its last full page, reached page by page. */
async function deepCursors(world: World, { server, oneOfMany }: Site): Promise<string[]> {
  const token = world.tokenOf(oneOfMany)
  const read = async (limit: number, cursor?: string) => {
    const { page } = await make(server, token, statement, { query: { limit, cursor } })
    if (page === undefined) throw new Error('a statement without pages')
    return page
  }
  const { total } = await read(1)
  const wanted = [Math.floor(total / 2), total - LINES]
  const cursors: string[] = []
  let cursor: string | undefined
  let passed = 0
  for (const position of wanted) {
    while (passed < position) {
      const lines = Math.min(maximumPageLimit, position - passed)
      cursor = (await read(lines, cursor)).nextCursor ?? undefined
      passed += lines
    }
    cursors.push(cursor!)
  }
  return cursors
}
