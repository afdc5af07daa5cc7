import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './clean-up.ts'

/** An HTTP server of the test's own, on a free port of this machine until the test ends. @returns its origin */
export async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
