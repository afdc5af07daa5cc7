import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'

export type Received = { id: string; body: string; headers: IncomingHttpHeaders }
export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/**
 * Somebody's HTTP server on loopback, whose answers a test decides; null: it never answers. One that is cut off has no end, one that is
 * held comes once that resolves. */
export async function openReceiver(port = 0) {
  const received: Received[] = []
  const state = {
    status: 200 as number | null,
    answer: 'ok',
    headers: {} as Record<string, string>,
    isCutOff: false,
    held: Promise.resolve(),
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', async () => {
      const { headers } = request
      received.push({ id: String(headers['webhook-id']), body: Buffer.concat(parts).toString(), headers })
      await state.held
      if (state.status === null) return
      response.writeHead(state.status, state.headers)
      if (state.isCutOff) response.write(state.answer, () => response.destroy())
      else response.end(state.answer)
    })
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as { port: number }).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, state, host, url: `http://${host}/hook`, close }
}

/** Checks a message as a receiver does, by a library that is not ours. @throws unless it is signed with this secret */
export function verified(secret: string, { body, headers }: Received): { type: string; data: object } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}
