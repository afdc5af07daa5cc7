import { Interrupted } from '#server/process/lifetime.ts'
import { findAnvil, installAnvil } from './anvil.ts'
import { findClamd, installClamd } from './clamd.ts'
import { findDockerCompose, installDockerCompose } from './docker-compose.ts'
import { findDovecot, installDovecot } from './dovecot.ts'
import { findElectrum, installElectrum } from './electrum.ts'
import { findLitecoind, installLitecoind } from './litecoind.ts'
import { findPgbackrest, installPgbackrest } from './pgbackrest.ts'
import { findPgbouncer, installPgbouncer } from './pgbouncer.ts'
import { findPromtool, installPromtool } from './promtool.ts'
import {
  findBeancount,
  findGo,
  findHledger,
  findLedger,
  findOpenssl,
  installBeancount,
  installGo,
  installHledger,
  installLedger,
  installOpenssl,
} from './proof-programs.ts'
import { single, type Totals } from './totals.ts'

/** A real node of one network, or another program, which tests run privately. */
export type TestNode = {
  readonly name: string
  /** What it tests, for people. */
  readonly for: string
  /** Its program, or null if it is not installed. */
  find(): string | null
  /** @throws Error that says what to do if it cannot be installed */
  install(): Promise<string>
}

/** One rule for all: `npm test` installs missing nodes; if that fails, `areNodesRequired` decides. */
export const testNodes = {
  litecoind: { name: 'litecoind', for: 'the Bitcoin rail', find: findLitecoind, install: installLitecoind },
  anvil: { name: 'anvil', for: 'the Ethereum rail', find: findAnvil, install: installAnvil },
  electrum: { name: 'electrum', for: 'Bitcoin payouts', find: findElectrum, install: installElectrum },
  clamd: { name: 'clamd', for: 'uploaded files', find: findClamd, install: installClamd },
  pgbouncer: { name: 'pgbouncer', for: 'poolers', find: findPgbouncer, install: installPgbouncer },
  pgbackrest: { name: 'pgbackrest', for: 'backups', find: findPgbackrest, install: installPgbackrest },
  dovecot: { name: 'dovecot', for: 'replies by email', find: findDovecot, install: installDovecot },
  hledger: { name: 'hledger', for: 'the public journal', find: findHledger, install: installHledger },
  ledger: { name: 'ledger', for: 'the public journal', find: findLedger, install: installLedger },
  beancount: { name: 'beancount', for: 'the public journal', find: findBeancount, install: installBeancount },
  openssl: { name: 'openssl', for: 'time stamps', find: findOpenssl, install: installOpenssl },
  promtool: { name: 'promtool', for: 'the alarms', find: findPromtool, install: installPromtool },
  dockerCompose: {
    name: 'docker-compose',
    for: 'containers',
    find: findDockerCompose,
    install: installDockerCompose,
  },
  go: { name: 'Go', for: 'the public log', find: findGo, install: installGo },
} as const satisfies Record<string, TestNode>

/**
 * True if tests without their node fail instead of being skipped by name: on build servers, which set CI, and with
 * REQUIRE_NODES=1.
 */
export function areNodesRequired({ CI = '', REQUIRE_NODES = '' }: NodeJS.ProcessEnv = process.env): boolean {
  return REQUIRE_NODES === '1' || !['', '0', 'false'].includes(CI)
}

/**
 * Why tests that need a node cannot run; undefined if they can.
 * @throws Error with the same words if they must
 */
export function missingNode({ name, find }: TestNode): string | undefined {
  if (find() !== null) return undefined
  const words = `${name} is not installed`
  if (areNodesRequired())
    throw new Error(`${words}, and must be here (CI or REQUIRE_NODES is set). Run: npm test`)
  return words
}

/**
 * Ensures that a node is installed.
 * @returns one check that passed, was skipped or, if nodes are required, failed, with the reason
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
