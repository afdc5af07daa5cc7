import { Worker } from 'node:worker_threads'

/** Processors that the product may use. */
const THREADS = 2

/** What one thread found. `makingSeconds`: time for making the names up, which the product has not. */
export type Share = { names: number; matched: number; matches: number; makingSeconds: number }

/** @property names of the entries, some two for each */
export type NamesScale = { people: number; entries: number }
export const fullNames: NamesScale = { people: 1_000_000, entries: 100_000 }

/** Seconds from the names to the last match, the index of the lists included; how many people may be listed, and their matches. */
export type NamesRun = NamesScale & { names: number; seconds: number; matched: number; matches: number }

/** Compares made-up people with made-up lists, on two threads that each have an index, as `server/screening/names/thread.ts` does. */
export async function measureNames(scale: NamesScale): Promise<NamesRun> {
  const began = performance.now()
  const shares = await Promise.all(Array.from({ length: THREADS }, (_, part) => shareOf(scale, part)))
  const seconds =
    (performance.now() - began) / 1_000 - Math.max(...shares.map(({ makingSeconds }) => makingSeconds))
  const sum = (of: (share: Share) => number) => shares.reduce((all, share) => all + of(share), 0)
  return {
    ...scale,
    names: shares[0]!.names,
    seconds,
    matched: sum(one => one.matched),
    matches: sum(one => one.matches),
  }
}

function shareOf(scale: NamesScale, part: number): Promise<Share> {
  return new Promise((resolve, reject) => {
    const workerData = { ...scale, part, parts: THREADS }
    const worker = new Worker(new URL('names-thread.ts', import.meta.url), { workerData, execArgv: [] })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
