import { z } from 'zod'
import { type Chain, ChainFault } from '#server/rails/chain.ts'
import { answerOf } from '#server/rails/http.ts'
import { type BitcoinChainSettings, bitcoinChain } from './chain.ts'
import type { Payable, Source } from './source.ts'

/**
 * Bitcoin by an Esplora-style HTTP interface (Blockstream's API.md; electrs, mempool.space). It is meant for a server of one's own: the
 * transactions that are in no block yet are read one by one, which public servers do not allow for long. Where one refuses, blocks are
 * still seen, and so is every payment once it is in one.
 * @param url where the paths of the interface begin, such as http://127.0.0.1:3000; with user and password where it asks for them
 */
export function esploraChain(url: string, settings: BitcoinChainSettings): Chain {
  return bitcoinChain(esploraSource(url.replace(/\/+$/, '')), settings)
}

/** Requests that are under way at once. */
const AT_ONCE = 8
const BLOCK_MS = 60_000
/** How long it is left alone after it said "too many requests" without saying for how long. */
const LEFT_ALONE_MS = 60_000

const hashForm = z.string().regex(/^[0-9a-f]{64}$/)
const heightForm = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
const idsForm = z.array(hashForm)
/** Sums of satoshi, in and out since the beginning; what a JSON number does not hold exactly is no safe integer. */
const sum = z.int().nonnegative().transform(BigInt)
const statsForm = z.object({ chain_stats: z.object({ funded_txo_sum: sum, spent_txo_sum: sum }) })

function esploraSource(base: string): Source {
  const get = (path: string, limitMs?: number) => found(base, path, limitMs)
  const must = async (path: string, limitMs?: number) =>
    (await get(path, limitMs)) ?? missing(`${path}: it is not there`)
  const text = async (path: string) => (await must(path)).toString('utf8').trim()
  return {
    async tip() {
      const height = formed('/blocks/tip/height', heightForm, await text('/blocks/tip/height'))
      const hash = formed('/block-height', hashForm, await text(`/block-height/${height}`))
      return { height, hash }
    },
    async hashAt(height) {
      const bytes = await get(`/block-height/${height}`)
      return bytes && formed('/block-height', hashForm, bytes.toString('utf8').trim())
    },
    header: async hash => Buffer.from(await text(`/block/${hash}/header`), 'hex'),
    block: hash => must(`/block/${hash}/raw`, BLOCK_MS),
    unconfirmed: async () =>
      formed('/mempool/txids', idsForm, json('/mempool/txids', await text('/mempool/txids'))),
    transactions: ids => eachOf(ids, id => get(`/tx/${id}/raw`)),
    unspent: addresses =>
      unspent(addresses, async path => formed(path, statsForm, json(path, await text(path)))),
  }
}

/** One request for each address. */
async function unspent(
  addresses: readonly Payable[],
  stats: (path: string) => Promise<z.output<typeof statsForm>>,
): Promise<bigint> {
  const each = await eachOf(addresses, async ({ address }) => {
    const { funded_txo_sum: came, spent_txo_sum: went } = (await stats(`/address/${address}`)).chain_stats
    return came - went
  })
  return each.reduce((total, one) => total + one, 0n)
}

/** In their order, a few at a time; the first that fails ends it. */
async function eachOf<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next
      next += 1
      results[at] = await work(items[at]!)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
  } catch (fault) {
    next = items.length
    throw fault
  }
  return results
}

/** What is at a path; undefined where nothing is. */
async function found(base: string, path: string, limitMs?: number): Promise<Buffer | undefined> {
  const { status, body, waitMs } = await answerOf(path, { url: base + path, ...(limitMs ? { limitMs } : {}) })
  if (status === 200) return body
  if (status === 404) return undefined
  if (status === 429) throw new ChainFault(`${path}: too many requests`, { waitMs: waitMs ?? LEFT_ALONE_MS })
  throw new ChainFault(`${path}: HTTP ${status}`, waitMs === undefined ? {} : { waitMs })
}

function json(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return missing(`${path}: what it answers is no JSON`)
  }
}

function formed<Form extends z.ZodType>(what: string, form: Form, answer: unknown): z.output<Form> {
  const parsed = form.safeParse(answer)
  return parsed.success
    ? parsed.data
    : missing(`${what}: unforeseen answer, ${parsed.error.issues[0]!.message}`)
}

function missing(words: string): never {
  throw new ChainFault(words)
}
