import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'

export interface Outcome {
  /** Exit code; 1 where a signal ended it. */
  readonly code: number
  /** What it wrote, both channels in the order they came. */
  readonly output: string
}

/** Runs a program to its end and keeps what it says instead of showing it. */
export async function runQuietly(
  command: string,
  args: string[],
  options: SpawnOptions = {},
): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? 1, output }
  } catch (error) {
    return { code: 1, output: `${command}: ${(error as Error).message}` }
  }
}

/** Whether a file is there that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
