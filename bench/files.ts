import { join } from 'node:path'
import { addressOf } from '#shared/call-address.ts'
import { me } from '#shared/contract/accounts.ts'
import { depositsCsv } from '#shared/contract/deposits.ts'
import { statementPdf } from '#shared/contract/ledger.ts'
import { requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { runLoad } from './load.ts'
import { percentile } from './measure.ts'
import type { Scale } from './scale.ts'
import { startServer } from './servers.ts'
import type { Site, World } from './world.ts'

/** Clients that ask for their account again as soon as they are answered. */
const CLIENTS = 200
/** Files that are downloaded meanwhile, again and again. */
const CSV_FILES = 4
const PDF_FILES = 2

/** How long `GET /auth/me` takes while files are made, against its time without them. */
export async function measureFiles(world: World, scale: Scale): Promise<Figure[]> {
  const { large, postgres, tokenOf } = world
  return filesOn({ ...large, folder: postgres.temporaryFolder, tokenOf }, scale)
}

type Filled = Pick<Site, 'admin' | 'investors'> &
  Pick<World, 'tokenOf'> & { server: { port: number }; folder: string }

export async function filesOn(
  { server, admin, investors, folder, tokenOf }: Filled,
  { rounds, seconds }: Pick<Scale, 'rounds' | 'seconds'>,
): Promise<Figure[]> {
  const { port } = server
  const downloader = await startServer({
    script: ['bench/downloader.ts'],
    env: { TARGET_PORT: String(port), TOKEN: tokenOf(admin, 'admin') },
    readyPath: '/',
    log: join(folder, 'downloader.log'),
  })
  const tell = (what: string) =>
    fetch(`http://127.0.0.1:${downloader.port}${what}`).then(answer => answer.text())
  const paths = [
    ...Array.from({ length: CSV_FILES }, () => addressOf(depositsCsv, {})),
    ...investors.slice(0, PDF_FILES).map(userId => addressOf(statementPdf, { query: { userId } })),
  ]
  const requests = investors.slice(0, CLIENTS).map(id => requestOf(tokenOf(id), me, {}))
  const p99 = async () => {
    const { latenciesMs } = await runLoad({
      port,
      connections: CLIENTS,
      seconds,
      request: connection => requests[connection % requests.length]!,
    })
    return percentile(latenciesMs, 0.99)
  }
  const withFiles: number[] = []
  const without: number[] = []
  try {
    await p99()
    for (let round = 0; round < rounds; round++) {
      without.push(await p99())
      await tell(`/start?${paths.map(path => `path=${encodeURIComponent(path)}`).join('&')}`)
      withFiles.push(await p99())
      await tell('/stop')
    }
  } finally {
    await downloader.stop()
  }
  const of = (values: number[]) => ({ unit: 'milliseconds' as const, rounds: values })
  return [
    figure(
      'fileFairness',
      { atMost: 3 },
      { what: 'p99 of GET /auth/me while 4 CSV files and 2 PDFs are made', ...of(withFiles) },
      { what: 'without files', ...of(without) },
    ),
  ]
}
