/** Shows work in progress in one line, which its result replaces. */
export interface Progress {
  /** A step: shows `doing` until the work ends, then `done` with its time (none if it was immediate). */
  step<T>(doing: string, done: string, work: () => Promise<T>): Promise<T>
  /** Shows that something continues until the returned function is called. */
  busy(doing: string): () => void
  /** A separate line. */
  say(line: string): void
}

const QUICK_MS = 300
/** Without a terminal, a long step reports now and then: build servers end a silent job. */
const HEARTBEAT_MS = 60_000

/** Progress on standard output: a terminal shows a step's line until its result, other outputs only results. */
export function createProgress(output: NodeJS.WriteStream = process.stdout): Progress {
  const replace = (line: string) => output.write(`\r\u001b[K${line}`)
  const say = (line: string) => void (output.isTTY ? replace(`${line}\n`) : output.write(`${line}\n`))
  const busy = (doing: string) => {
    if (output.isTTY) replace(`  … ${doing}`)
    const heartbeat = setInterval(() => output.isTTY || say(`  … ${doing}`), HEARTBEAT_MS)
    return () => {
      clearInterval(heartbeat)
      if (output.isTTY) replace('')
    }
  }
  return {
    say,
    busy,
    async step(doing, done, work) {
      const started = Date.now()
      const stop = busy(doing)
      const result = await work().finally(stop)
      const took = Date.now() - started
      say(`  ✓ ${done}${took < QUICK_MS ? '' : ` (${(took / 1000).toFixed(1)} s)`}`)
      return result
    },
  }
}
