import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { type Config, environment, loadConfig } from '#server/config.ts'
import { startEmbedded } from '#server/embedded/embedded.ts'
import { type Lifetime, reportEnd, runUntilStopped } from '#server/process/lifetime.ts'

/**
 * npm run dev: the product with reload. Vite replaces changed pages in the browser; a change below server/, shared/ or
 * db/ restarts the server process. The database stays up, because this process shares it.
 */

const ROOT = join(import.meta.dirname, '..')
const WATCHED = ['server', 'shared', 'db']
/** An editor's save comes as several events. */
const SETTLE_MS = 80

async function main(): Promise<void> {
  const config = loadConfig(environment())
  await runUntilStopped(
    life => start(config, life),
    () => console.log('Stopping …'),
  )
}

async function start(config: Config, life: Lifetime): Promise<void> {
  const embedded = config.database === null ? await startEmbedded(config.dataDir, { say: console.log }) : null
  if (embedded !== null) await life.own(() => embedded.stop())
  let server = launch()
  let settling: NodeJS.Timeout | undefined
  let restarts = Promise.resolve()
  // One after the other: two servers at once would compete for the port.
  const restart = () => {
    restarts = restarts.then(async () => {
      await end(server)
      server = launch()
    })
  }
  const watchers = WATCHED.map(name =>
    watch(join(ROOT, name), { recursive: true }, (_event, file) => {
      if (file?.includes('.test.')) return
      clearTimeout(settling)
      settling = setTimeout(restart, SETTLE_MS)
    }),
  )
  const stop = async () => {
    for (const watcher of watchers) watcher.close()
    clearTimeout(settling)
    await restarts
    await end(server)
  }
  await life.own(stop)
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** In its own process group: Ctrl-C reaches only us, and we stop it in order. */
function launch(): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'dev-server.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
}

await main().catch(reportEnd)
