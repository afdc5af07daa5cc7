import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import type { Services } from '#server/context.ts'
import { type AppOptions, createApp } from '#server/http/app.ts'
import type { Failure } from '#shared/contract/define.ts'
import { live } from '#shared/contract/live.ts'
import type { Topic } from '#shared/live.ts'
import { atEnd } from './clean-up.ts'
import { until } from './processes.ts'

/** One of several web processes on these services: an app that listens, closed after the test file. */
export async function listeningApp(
  services: Services,
  liveLimits: AppOptions['liveLimits'] = {},
): Promise<FastifyInstance> {
  const app = await createApp(services, { liveLimits })
  await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => app.close())
  return app
}

/** An app of this process, or the origin of another one. */
type Server = FastifyInstance | string

/** Asks for the stream on a connection of its own. */
async function request(server: Server, token: string, prefix = 'Bearer'): Promise<IncomingMessage> {
  const origin =
    typeof server === 'string' ? server : `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const headers = { authorization: `${prefix} ${token}` }
  const [response] = await once(get(`${origin}/api${live.path}`, { headers, agent: false }), 'response')
  return response as IncomingMessage
}

/** What the request for a stream is answered; one that is opened is closed again. */
export async function answerTo(app: FastifyInstance, token: string, prefix?: string) {
  const response = await request(app, token, prefix)
  const { statusCode: status, headers } = response
  if (status !== 200) return { status, headers, failure: JSON.parse(await text(response)) as Failure }
  response.destroy()
  return { status, headers }
}

export type Stream = {
  /** Everything that was received, unchanged. */
  text: () => string
  /** The topics of each `changed` so far. */
  heard: () => Topic[][]
  /** Waits until these topics have been told, in one event or several. */
  hears: (...topics: Topic[]) => Promise<void>
  /** Waits until the server ends it. */
  ends: () => Promise<void>
  close: () => void
}

/** An open stream; it ends with its server. */
export async function openStream(server: Server, token: string): Promise<Stream> {
  const response = await request(server, token)
  if (response.statusCode !== 200) throw new Error(`no stream: ${await text(response)}`)
  let content = ''
  response.setEncoding('utf8').on('data', chunk => {
    content += chunk
  })
  const heard = () =>
    [...content.matchAll(/^event: changed\ndata: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data!) as { topics: Topic[] }).topics,
    )
  await until(() => content.includes('event: open'))
  return {
    text: () => content,
    heard,
    hears: (...topics) => until(() => topics.every(topic => heard().flat().includes(topic))),
    ends: () => until(() => response.complete),
    close: () => response.destroy(),
  }
}
