import { type Figure, figure } from './figure.ts'
import { requestBytes, runLoad } from './load.ts'
import { alternate } from './measure.ts'
import type { Scale } from './scale.ts'
import type { World } from './world.ts'

const CONNECTIONS = 16

/** Headers of a returning browser: it accepts Brotli, and has seen the start overlay. */
const headers = { 'accept-encoding': 'gzip, deflate, br, zstd', cookie: 'overlay=seen' }

/**
 * The home page with all headers, against a file of about its size (the style sheet) from the same server: the page
 * should cost little more than sending its bytes.
 */
export async function measureDocuments(world: World, { rounds, seconds }: Scale): Promise<Figure[]> {
  const { port } = world.large.server
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers })
  const styles = /<link[^>]* rel="stylesheet" href="([^"]+)"/.exec(await page.text())?.[1]
  if (styles === undefined) throw new Error('the home page names no style sheet')
  const file = await fetch(`http://127.0.0.1:${port}${styles}`, { headers, method: 'HEAD' })
  const contender = (path: string) => {
    const bytes = requestBytes('GET', path, headers)
    const load = { port, connections: CONNECTIONS, seconds, request: () => bytes }
    return { round: async () => (await runLoad(load)).perSecond }
  }
  const measured = await alternate(rounds, { page: contender('/'), file: contender(styles) })
  const sent = (what: string, { headers }: Response, of: number[]) => {
    const bytes = Number(headers.get('content-length')).toLocaleString('en')
    return { what: `${what} (${bytes} bytes)`, unit: 'per second' as const, rounds: of }
  }
  return [
    figure(
      'publicPerStatic',
      { atLeast: 0.7 },
      sent('GET /', page, measured.page),
      sent('the style sheet', file, measured.file),
    ),
  ]
}
