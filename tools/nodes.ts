import { Interrupted } from '#server/process/lifetime.ts'
import { findAnvil, installAnvil } from './anvil.ts'
import { findLitecoind, installLitecoind } from './litecoind.ts'
import { single, type Totals } from './totals.ts'

/** A real node of a network's kind, which tests run on a network of their own. */
export type TestNode = {
  readonly name: string
  /** What is tested with it, for people. */
  readonly for: string
  /** Its program, or null where it is not installed. */
  find(): string | null
  /** @throws Error that says what to do where it cannot be had */
  install(): Promise<string>
}

/** All obey one rule: `npm test` installs what is missing; where that cannot be, `areNodesRequired` says what follows. */
export const testNodes = {
  litecoind: { name: 'litecoind', for: 'the Bitcoin rail', find: findLitecoind, install: installLitecoind },
  anvil: { name: 'anvil', for: 'the Ethereum rail', find: findAnvil, install: installAnvil },
} as const satisfies Record<string, TestNode>

/**
 * Whether tests without their node fail, instead of being skipped by name: on build servers, all of which set CI, and wherever
 * REQUIRE_NODES=1 asks for it.
 */
export function areNodesRequired({ CI = '', REQUIRE_NODES = '' }: NodeJS.ProcessEnv = process.env): boolean {
  return REQUIRE_NODES === '1' || !['', '0', 'false'].includes(CI)
}

/**
 * Why tests that need a node cannot run; undefined where they can.
 * @throws Error with the same words where they must
 */
export function missingNode({ name, find }: TestNode): string | undefined {
  if (find() !== null) return undefined
  const words = `${name} is not installed`
  if (areNodesRequired())
    throw new Error(`${words}, and must be here (CI or REQUIRE_NODES is set). Run: npm test`)
  return words
}

/**
 * Sees to it that a node is there.
 * @returns one that passed; where it cannot be had one skipped, or failed where nodes are required, and why
 */
export async function provideNode({ find, install }: TestNode): Promise<{ totals: Totals; output: string }> {
  try {
    if (find() === null) await install()
    return { totals: single(true), output: '' }
  } catch (error) {
    if (error instanceof Interrupted) throw error
    const totals = areNodesRequired() ? single(false) : { passed: 0, failed: 0, skipped: 1 }
    return { totals, output: (error as Error).message }
  }
}
