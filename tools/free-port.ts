import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections (32768 and up): none of these takes one before it is used. */
const ports = { first: 20_000, last: 32_000 }

/** A port of 127.0.0.1 that nothing uses at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last + 1)
    if (await isFree(port)) return port
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
