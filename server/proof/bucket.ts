import type { Logger } from 'pino'
import { z } from 'zod'
import type { Bucket } from '#server/config/bucket.ts'
import type { Services } from '#server/context.ts'
import type { Clock } from '#server/platform/clock.ts'
import { defineTask } from '#server/platform/queue.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { type Copy, type CopyHead, headOfCopy, publish } from './copies.ts'
import { headersOf } from './files.ts'
import { adviceOn, ForkedLog } from './forked-log.ts'
import { noteProblem } from './problems.ts'
import { signedHeaders } from './s3-signature.ts'

const ANSWER_MS = 120_000
/** While an epoch waits to be signed. */
const CHECK_MS = 10_000

/** Completes the copy in the bucket; queued when an epoch ends. */
export const copyToBucket = defineTask('copy_to_bucket', z.unknown())

/**
 * Completes the copy of the public proof in the configured bucket. A bucket with another history is an alarm, and stays.
 * @returns how many files it wrote
 * @throws Error if the store does not answer, or refuses
 */
export async function publishToBucket({
  pool,
  config,
  clock,
  log,
}: Pick<Services, 'pool' | 'config' | 'clock' | 'log'>): Promise<number> {
  if (config.bucket === null) return 0
  try {
    const written = await publish(
      pool,
      bucketCopy(config.bucket, () => clock.now()),
    )
    await noteProblem(pool, 'bucket', null, clock.now())
    return written
  } catch (error) {
    await noteProblem(pool, 'bucket', (error as Error).message, clock.now())
    if (!(error instanceof ForkedLog)) throw error
    log.error({ alarm: 'ledger', check: 'bucket' }, `nothing is copied to the bucket: ${adviceOn(error)}`)
    return 0
  }
}

/** What the bucket has of the log, before an epoch is signed; undefined if there is none, or it does not answer. */
export async function headInBucket({
  config: { bucket },
  clock,
  log,
}: {
  config: { bucket: Bucket | null }
  clock: Clock
  log: Pick<Logger, 'warn'>
}): Promise<CopyHead | undefined> {
  if (bucket === null) return undefined
  return await headOfCopy(bucketCopy(bucket, () => clock.now(), CHECK_MS)).catch((error: Error) => {
    log.warn({ err: error }, 'the bucket was not compared with the log')
    return undefined
  })
}

async function bodyOf(response: Response, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > most) throw new Error(`the bucket sent more than ${most} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function bucketCopy(bucket: Bucket, now: () => Date, answerMs = ANSWER_MS): Copy {
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body: Buffer = Buffer.alloc(0),
  ) => {
    const url = new URL(`${bucket.url}/${path.split('/').map(encodeURIComponent).join('/')}`)
    const response = await send(url, {
      method,
      headers: signedHeaders({ method, url, headers, body }, bucket, now()),
      ...(method === 'PUT' ? { body: new Uint8Array(body) } : {}),
      redirect: 'error',
      signal: AbortSignal.timeout(answerMs),
    })
    if (response.ok) return response
    await response.body?.cancel()
    if (response.status === 404 && method !== 'PUT') return undefined
    throw new Error(`the bucket answered ${response.status} to ${method} ${path}`)
  }
  return {
    place: bucket.url,
    read: async (path, most) => {
      const response = await ask('GET', path)
      return response && (await bodyOf(response, most))
    },
    bytes: async path => {
      const response = await ask('HEAD', path)
      return response && Number(response.headers.get('content-length'))
    },
    write: async (path, file) => {
      await (await ask('PUT', path, headersOf(file), await file.read(0, file.bytes)))?.body?.cancel()
    },
  }
}
