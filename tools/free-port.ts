import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports of outgoing connections (32768 and up), so that none of those takes it before it is used. */
const ports = { first: 20_000, last: 32_000 }

/**
 * A currently unused port of 127.0.0.1.
 * @param count this many consecutive ports, starting with it, are unused
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last + 1)
    const all = Array.from({ length: count }, (_, index) => port + index)
    const areFree = await Promise.all(all.map(isFree))
    if (areFree.every(Boolean)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
