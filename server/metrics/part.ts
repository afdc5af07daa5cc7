import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { isLoopback } from '#server/config/environment.ts'
import type { MetricsAddress } from '#server/config.ts'
import { isReplicaRead } from '#server/platform/database/replica.ts'
import { processMetrics } from '#server/platform/metrics.ts'
import { listenError } from '#server/process/listen-error.ts'
import type { Part } from '#server/process/serve.ts'
import { tellState } from './state.ts'

/** Time limit for receiving a request, in milliseconds. */
const REQUEST_LIMIT_MS = 5_000

/** Serves this process's metrics to Prometheus, at their own address; only if METRICS_PORT is set. */
export const metricsPart: Part = async (services, life) => {
  const address = services.config.metrics
  if (address === null) return
  const own = new Registry()
  collectDefaultMetrics({ register: own })
  tellPool(own, services.pool)
  const state = tellState(own, services)
  const all = Registry.merge([processMetrics, own])
  const answer = async (response: ServerResponse) => {
    await state.refresh()
    const text = await all.metrics()
    response.writeHead(200, { 'content-type': all.contentType, 'cache-control': 'no-store' }).end(text)
  }
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS, headersTimeout: REQUEST_LIMIT_MS })
  server.on('request', (request, response) => {
    const refusal = refusalOf(address, request)
    if (refusal !== undefined) return void refuse(response, refusal)
    answer(response).catch(err => {
      services.log.error({ err }, 'metrics could not be served')
      refuse(response, 500)
    })
  })
  await life.own(async () => {
    server.closeAllConnections()
    server.close()
    await state.close()
  })
  await listen(server, address)
  const { port } = server.address() as AddressInfo
  services.log.info(
    `Metrics on http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}/metrics`,
  )
}

/** @throws StartupError */
function listen(server: Server, { host, port }: MetricsAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error =>
      reject(listenError({ host, port, hostName: 'METRICS_HOST', portName: 'METRICS_PORT' }, error)),
    )
    server.listen(port, host, resolve)
  })
}

/** The status of a refusal; undefined for a permitted request. */
function refusalOf({ token }: MetricsAddress, { method, url, headers }: IncomingMessage): number | undefined {
  if (token !== null && !isSame(headers.authorization ?? '', `Bearer ${token}`)) return 401
  // Without a token, answer this machine only. That excludes a proxy that forwards everything, and a web page that
  // reaches this address under another name.
  if (token === null && !isLoopback((headers.host ?? '').replace(/:\d+$/, ''))) return 403
  if (url?.split('?')[0] !== '/metrics') return 404
  return method === 'GET' || method === 'HEAD' ? undefined : 405
}

function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, status === 401 ? { 'www-authenticate': 'Bearer' } : {}).end()
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map(text => createHash('sha256').update(text).digest())
  return timingSafeEqual(a!, b!)
}

function tellPool(register: Registry, pool: Pool): void {
  const tell = (name: string, help: string, collect: (gauge: Gauge<'state'>) => void) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'] as const,
      registers: [register],
      collect() {
        collect(this)
      },
    })
  tell(
    'probity_database_connections',
    'Connections of the pool that requests and jobs share, by state: busy or idle',
    gauge => {
      gauge.set({ state: 'idle' }, pool.idleCount)
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
    },
  )
  tell(
    'probity_database_connections_limit',
    'Maximum connections of that pool (DATABASE_CONNECTIONS)',
    gauge => gauge.set(pool.options.max),
  )
  tell('probity_replica_read', '1 while long reads go to the standby of READ_DATABASE_URL', gauge => {
    const isRead = isReplicaRead(pool)
    if (isRead !== undefined) gauge.set(isRead ? 1 : 0)
  })
  tell('probity_database_waiting', 'Requests and jobs that wait for a connection of that pool', gauge =>
    gauge.set(pool.waitingCount),
  )
}
