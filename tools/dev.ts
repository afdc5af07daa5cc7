import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { environment, loadConfig } from '#server/config.ts'
import { reportEnd, runUntilStopped } from '#server/lifetime.ts'
import { startEmbedded } from '#server/platform/database/embedded.ts'

/**
 * npm run dev: the product with reload. Vite replaces changed pages in the browser; a change below server/, shared/ or db/
 * starts the server process again. The database stays up in between, because this process shares it.
 */

const ROOT = join(import.meta.dirname, '..')
const WATCHED = ['server', 'shared', 'db']
/** An editor's save comes as several events. */
const SETTLE_MS = 80

async function main(): Promise<void> {
  const config = loadConfig(environment())
  const embedded = config.database === null ? await startEmbedded(config.dataDir, { say: console.log }) : null
  let server = launch()
  let restarting: NodeJS.Timeout | undefined
  const restart = async () => {
    const previous = server
    if (previous.exitCode === null && previous.signalCode === null) {
      previous.kill('SIGTERM')
      await once(previous, 'exit')
    }
    server = launch()
  }
  const watchers = WATCHED.map(name =>
    watch(join(ROOT, name), { recursive: true }, (_event, file) => {
      if (file?.includes('.test.')) return
      clearTimeout(restarting)
      restarting = setTimeout(restart, SETTLE_MS)
    }),
  )
  const stop = async () => {
    for (const watcher of watchers) watcher.close()
    clearTimeout(restarting)
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    await embedded?.stop()
  }
  await runUntilStopped(
    life => life.own(stop),
    () => console.log('Stopping …'),
  )
}

/** In a process group of its own: Ctrl-C reaches only us, and we stop it in order. */
function launch(): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'dev-server.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
}

await main().catch(reportEnd)
