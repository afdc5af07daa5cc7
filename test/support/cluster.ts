import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Failure, Success } from '#shared/contract/define.ts'
import { buildProduct, MAIN } from '#tools/product-build.ts'
import { atEnd } from './clean-up.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type Watched, watch } from './processes.ts'

const BUILD = join(import.meta.dirname, '../../build/server/index.js')

export type Answer<T> = { status: number; message: string; data: T; code?: string }
/** `limitMs`: how long an answer is waited for; by default, as long as it takes. */
export type CallOptions = { token?: string; key?: string; limitMs?: number }

/** One process of the product. */
export type Process = Watched & { kill(): Promise<void> }
export type WebProcess = Process & { origin: string }

type ClusterOptions = {
  database?: TestDatabase
  /** Environment variables of all processes. */
  settings?: NodeJS.ProcessEnv
}

/** Real processes of the built server on one demonstration database; they end with the test file. */
export async function openCluster({ database: given, settings = {} }: ClusterOptions = {}) {
  const database = given ?? (await testDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'probity-cluster-'))
  const started = new Set<Process>()
  atEnd(async () => {
    await Promise.all([...started].map(process => process.kill()))
    rmSync(folder, { recursive: true, force: true })
  })
  if (!existsSync(BUILD)) await buildProduct(console.log)

  function start(role: string, ofOwner: NodeJS.ProcessEnv = {}): Process {
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      PORT: '0',
      TOKEN_SECRET: 'the same for all processes of the cluster',
      DATABASE_URL: database.appUrl,
      DATABASE_CONNECTIONS: '10',
      ...settings,
      ...ofOwner,
    }
    const watched = watch(process.execPath, [MAIN, role], { env })
    const running = {
      ...watched,
      /** kill -9: no time to finish anything. */
      kill: async () => {
        started.delete(running)
        watched.child.kill('SIGKILL')
        await watched.ended()
      },
    }
    started.add(running)
    return running
  }

  const migration = start('migrate', { DATABASE_OWNER_URL: database.ownerUrl })
  const code = await migration.ended()
  if (code !== 0) throw new Error(`the database could not be prepared:\n${migration.output()}`)
  return {
    database,
    worker: () => start('worker'),
    web: async (): Promise<WebProcess> => {
      const web = start('web')
      const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
      return { ...web, origin }
    },
  }
}

/** One request to one process. Rejects without an answer: its outcome is then unknown. */
export async function request<C extends CallDefinition>(
  origin: string,
  call: C,
  input: Partial<CallInput<C>> = {},
  { token, key, limitMs }: CallOptions = {},
): Promise<Answer<CallData<C>>> {
  const { body, ...rest } = input as { body?: unknown }
  const response = await fetch(`${origin}${addressOf(call, rest)}`, {
    method: call.method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) }),
  })
  const content = (await response.json()) as Success<CallData<C>> | Failure
  return { data: undefined as never, ...content, status: response.status }
}

/** Acts like a load balancer with a patient client: tries the processes in turn, with the same request and key. */
export function balanced(webs: () => WebProcess[]) {
  let turn = 0
  return async <C extends CallDefinition>(
    call: C,
    input: Partial<CallInput<C>> = {},
    options: CallOptions = {},
  ): Promise<CallData<C>> => {
    for (let tries = 0; tries < 20; tries++) {
      const living = webs()
      const { origin } = living[turn++ % living.length]!
      try {
        const answer = await request(origin, call, input, options)
        if (answer.status < 400) return answer.data
        throw new Refused(answer)
      } catch (error) {
        if (error instanceof Refused) throw error
      }
    }
    throw new Error(`${call.id}: nobody answers`)
  }
}

export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor({ status, code, message }: Answer<unknown>) {
    super(`${status} ${code}: ${message}`)
    this.status = status
    this.code = code
  }
}
