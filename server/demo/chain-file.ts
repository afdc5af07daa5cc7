import { existsSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import type { Node } from '#server/rails/ethereum/node.ts'

/** The local chain's blocks and accounts, as anvil's --load-state reads them; kept between starts, like the database. */
function chainFile(dataDir: string): string {
  return join(dataDir, 'demo-chain.json')
}

/** anvil's options for continuing the saved chain. */
export function savedChain(dataDir: string): string[] {
  const file = chainFile(dataDir)
  return existsSync(file) ? ['--load-state', file] : []
}

/** Deletes the chain together with its database. */
export function deleteDemoChain(dataDir: string): void {
  rmSync(chainFile(dataDir), { force: true })
}

/** Gzipped JSON in hexadecimal. */
const dump = z.string().regex(/^0x[0-9a-f]*$/)

/** One save after the other, so that an older one never replaces a newer one. Only this process uses the chain. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Writes the mined blocks to disk; unconfirmed transactions are not part of them. A reader, also after a crash, finds the
 * previous file or the new one.
 * @throws ChainError if the node does not answer; an Error of node:fs
 */
export function saveChain(node: Node, dataDir: string): Promise<void> {
  const saved = last.then(async () => {
    const state = await node.ask('anvil_dumpState', [], dump)
    const file = chainFile(dataDir)
    const draft = `${file}.draft`
    await writeFile(draft, await promisify(gunzip)(Buffer.from(state.slice(2), 'hex')), { flush: true })
    await rename(draft, file)
  })
  last = saved.catch(() => {})
  return saved
}
