import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections (32768 and up): none of these takes one before it is used. */
const ports = { first: 20_000, last: 32_000 }

/**
 * A port of 127.0.0.1 that nothing uses at this moment.
 * @param count how many ports from it on are to be free
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
