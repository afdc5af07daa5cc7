import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import pinoPretty from 'pino-pretty'
import { createServer as createVite } from 'vite'
import { environment, loadConfig, refuseOwnerLogin } from '#server/config.ts'
import { createApp } from '#server/http/app.ts'
import { createLogger } from '#server/platform/logger.ts'
import { reportEnd, runUntilStopped } from '#server/process/lifetime.ts'
import { listenError } from '#server/process/listen-error.ts'
import { partsOf } from '#server/process/parts.ts'
import { type Part, serve } from '#server/process/serve.ts'
import type { WebHandler } from '#shared/web.ts'

/** The process that `npm run dev` restarts: the whole product, with the pages from their sources. */

const ROOT = join(import.meta.dirname, '..')

const webFromSources: Part = async (services, life) => {
  const server = createServer()
  const vite = await createVite({
    root: ROOT,
    appType: 'custom',
    server: {
      middlewareMode: true,
      hmr: { server },
      watch: { ignored: ['**/data/**', '**/build/**', '**/test-results/**', '**/screenshots/**'] },
    },
  })
  const handle: WebHandler = async (request, host) => {
    const entry = (await vite.ssrLoadModule('/web/server/index.tsx')) as { handle: WebHandler }
    const response = await entry.handle(request, host)
    if (!response.headers.get('Content-Type')?.startsWith('text/html')) return response
    const { pathname } = new URL(request.url)
    return new Response(await vite.transformIndexHtml(pathname, await response.text()), response)
  }
  // Vite serves the files; nothing requests those of an earlier build.
  const clientFolder = join(ROOT, 'build/client')
  mkdirSync(clientFolder, { recursive: true })
  const app = await createApp(services, { pages: { clientFolder, handle } })
  // Vite injects scripts and styles that the built pages' policy forbids.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.removeHeader('content-security-policy')
    done(null, payload)
  })
  await app.ready()
  server.on('request', (request, response) =>
    vite.middlewares(request, response, () => app.routing(request, response)),
  )
  await life.own(async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all([vite.close(), app.close()])
  })
  const { host, port } = services.config
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  ).catch(error => {
    throw listenError(services.config, error)
  })
  services.log.info(`Listening on ${services.config.publicUrl}`)
}

async function main(): Promise<void> {
  const config = loadConfig(environment())
  refuseOwnerLogin(process.env)
  const log = createLogger(config.logLevel, pinoPretty({ ignore: 'pid', translateTime: 'HH:MM:ss' }))
  const { early, parts } = partsOf.worker
  const say = (line: string) => log.info(line)
  const options = { config, log, prepares: true, early, parts: [...parts, webFromSources], say }
  await runUntilStopped(
    life => serve({ ...options, whileWaiting: say }, life),
    () => {},
  )
}

await main().catch(reportEnd)
