import { readFileSync } from 'node:fs'

/**
 * Preloaded into a process (`node --import`) whose machine has a wrong clock: ahead by the milliseconds in the file
 * CLOCK_AHEAD_FILE, which a test may change at any time.
 */

const read = () => Number(readFileSync(process.env.CLOCK_AHEAD_FILE, 'utf8'))
let ahead = read()
setInterval(() => {
  ahead = read()
}, 20).unref()

const now = () => RealDate.now() + ahead
const RealDate = Date
globalThis.Date = new Proxy(RealDate, {
  construct: (date, given, as) => Reflect.construct(date, given.length === 0 ? [now()] : given, as),
  apply: () => new Date().toString(),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
})
