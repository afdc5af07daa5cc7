import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { atEnd } from '#test/support/clean-up.ts'

/** Blocks that an old node does not know, and by which a false fork is longer. */
export const agedBlocks = 6
export const aheadBlocks = 4

/** Pays this address this much, in the smallest unit of the network: wei, satoshi, 10^-6 USDT. */
export type Invented = { to: string; value: bigint }

/** A node between the product and an honest one, which answers as a test wants. It ends with the test file. */
export type LyingNode<LieName extends string> = {
  /** On loopback. */
  readonly url: string
  readonly lies: readonly LieName[]
  /** From now on; null: the truth again. @returns how many requests the lie before this one has answered */
  tell(name: LieName | null, invented?: readonly Invented[]): Promise<number>
}

/** What it answers to a request's path and body, in JSON. */
export type Answering = (path: string, body: string) => Promise<string>

/** @param lies prepares the answers of each, once it is told */
export async function openLyingNode<LieName extends string>(
  honest: Answering,
  lies: Readonly<Record<LieName, (invented: readonly Invented[]) => Promise<Answering>>>,
): Promise<LyingNode<LieName>> {
  let lie: Answering | null = null
  let answered = 0
  const url = await serve(async (path, body) => {
    if (lie === null) return honest(path, body)
    answered += 1
    return lie(path, body)
  })
  return {
    url,
    lies: Object.keys(lies) as LieName[],
    async tell(name, invented = []) {
      lie = name === null ? null : await lies[name](invented)
      const before = answered
      answered = 0
      return before
    },
  }
}

async function serve(answer: Answering): Promise<string> {
  const server = createServer(async (request, response) => {
    const answered = await answer(request.url ?? '', await text(request)).catch(() => undefined)
    if (answered === undefined) response.writeHead(502).end()
    else response.setHeader('content-type', 'application/json').end(answered)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
