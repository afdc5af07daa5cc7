import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { atEnd } from './clean-up.ts'

export type CountingNode = {
  readonly url: string
  /** JSON-RPC requests since `reset`, by method; each one of a batch counts. */
  readonly counts: Map<string, number>
  total(): number
  reset(): void
}

/** A proxy in front of a node that counts what a provider would bill. It ends with the test file. */
export async function countingNode(real: string): Promise<CountingNode> {
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    for (const { method } of [JSON.parse(body)].flat() as { method: string }[])
      counts.set(method, (counts.get(method) ?? 0) + 1)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(real, { method: 'POST', headers, body })
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    reset: () => counts.clear(),
  }
}
