import dns, { type LookupAllOptions, type LookupOptions } from 'node:dns'
import dnsPromises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Until the test ends, the resolver knows this name: what it says at the first time it is asked, at the second and so on, and
 * what it said last from then on. Everything else is resolved as ever.
 * @returns how often it was asked
 */
export function naming(name: string, ...answers: readonly (readonly string[])[]): () => number {
  let asked = 0
  const next = () => {
    const addresses = answers[Math.min(asked++, answers.length - 1)]!
    return addresses.map(address => ({ address, family: isIP(address) }))
  }
  const original = { callback: dns.lookup, promise: dnsPromises.lookup }
  const callback = (asking: string, options: LookupOptions, done: (...answer: unknown[]) => void) => {
    if (asking !== name) return original.callback(asking, options as LookupAllOptions, done)
    const [first, ...others] = next()
    process.nextTick(() =>
      options.all ? done(null, [first, ...others]) : done(null, first!.address, first!.family),
    )
  }
  const promise = async (asking: string, options: LookupAllOptions) =>
    asking === name ? next() : await original.promise(asking, options)
  set(callback, promise)
  onTestFinished(() => set(original.callback, original.promise))
  return () => asked
}

function set(callback: unknown, promise: unknown): void {
  Object.assign(dns, { lookup: callback })
  Object.assign(dnsPromises, { lookup: promise })
  syncBuiltinESMExports()
}
