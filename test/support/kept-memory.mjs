import { appendFileSync } from 'node:fs'

/**
 * Preloaded into a process (`node --expose-gc --import`): every few seconds it collects garbage, and appends to the file
 * MEMORY_FILE the bytes that it then keeps: its heap's and its buffers', and those that it has of the machine.
 */

const EVERY_MS = 5_000

setInterval(() => {
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  appendFileSync(process.env.MEMORY_FILE, `${heapUsed + external} ${rss}\n`)
}, EVERY_MS).unref()
