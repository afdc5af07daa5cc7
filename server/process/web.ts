import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createApp } from '#server/http/app.ts'
import { announceStop } from '#server/http/health.ts'
import type { Pages } from '#server/http/pages.ts'
import { whenAnswering } from '#server/platform/database/awaited.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import type { Web } from '#shared/web.ts'
import { Drain } from './drain.ts'
import { listenError } from './listen-error.ts'
import type { Part } from './serve.ts'
import { freeAddress, Sockets } from './sockets.ts'

const BUILD = join(import.meta.dirname, '../../build')

/**
 * Answers requests, with the given pages. Its end first lets load balancers see that it is not ready, then answers all that
 * has arrived (decision 134).
 */
export function webPart(pages: () => Promise<Pages> = builtPages): Part {
  return async (services, life) => {
    keepRequestsYoung()
    const app = await createApp(services, { pages: await pages() })
    const drain = new Drain(app.server)
    const { host, port, drainSeconds } = services.config
    const sockets = new Sockets(app.server)
    await life.own(async () => {
      if (app.server.listening) {
        announceStop(services)
        drain.closeWithAnswers()
        await delay(drainSeconds * 1000)
        await drain.stopAccepting(sockets)
      }
      await drain.finish(() => Promise.all([app.close(), sockets.ended()]))
    })
    try {
      await app.listen(await freeAddress({ host, port }))
      await sockets.openMore()
    } catch (error) {
      throw listenError(services.config, error)
    }
    const address = app.server.address() as AddressInfo
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
    whenAnswering(services.pool).then(() => services.log.info(`Listening on ${url}`))
  }
}

/**
 * Objects of requests that a full collection finds under way make V8 create all later ones in the old space, where they, and
 * all that they lead to, stay until the next full one: each quick collection then took 15 ms under load, instead of 2.
 * The flag is the whole process's, a worker's in it too.
 */
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** @throws StartupError if they have not been built */
export async function builtPages(): Promise<Pages> {
  const bundle = join(BUILD, 'server/index.js')
  if (!existsSync(bundle)) throw new StartupError('The pages have not been built. Run: npm run build')
  const web = (await import(pathToFileURL(bundle).href)) as Web
  return { clientFolder: join(BUILD, 'client'), ...web }
}
