import { bytesToHex } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { type Answer, answerOf } from '#server/rails/http.ts'
import { type BitcoinChainSettings, bitcoinChain } from './chain.ts'
import { minedCode, refusalCodes } from './core.ts'
import type { Payable, Source } from './source.ts'

/**
 * Bitcoin by an Esplora HTTP interface (Blockstream's API.md; electrs, mempool.space), meant for the operator's own
 * server: it reads mempool transactions one by one, which public servers soon refuse. Without the mempool, payments are
 * still seen once they are in a block.
 * @param url base of its paths, such as http://127.0.0.1:3000, with user and password if needed
 */
export function esploraChain(url: string, settings: BitcoinChainSettings): Chain {
  return bitcoinChain(esploraSource(url.replace(/\/+$/, '')), settings)
}

/** Concurrent requests. */
const AT_ONCE = 8
const BLOCK_MS = 60_000
/** Pause after "too many requests" without a Retry-After. */
const LEFT_ALONE_MS = 60_000

const hashForm = z.string().regex(/^[0-9a-f]{64}$/)
const heightForm = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
const idsForm = z.array(hashForm)
/** Sums of satoshi ever received and sent; a value that is no safe integer is refused. */
const sum = z.int().nonnegative().transform(BigInt)
const statsForm = z.object({ chain_stats: z.object({ funded_txo_sum: sum, spent_txo_sum: sum }) })

const outputsForm = z.array(
  z.object({
    txid: hashForm,
    vout: z.int().nonnegative(),
    value: sum,
    status: z.object({ confirmed: z.boolean() }),
  }),
)

/** Satoshi per virtual byte, by the number of blocks. */
const estimatesForm = z.record(z.string(), z.number().positive())
/** The node's error in an answer to POST /tx: `… RPC error: {"code":-26,"message":"…"}`, by some versions its words alone. */
const refusalForm = /RPC error: *(?:\{"code":(-?\d+),"message":"((?:[^"\\]|\\.)*)"|([^{].*))/

function esploraSource(base: string): Source {
  const get = (path: string, limitMs?: number) => found(base, path, limitMs)
  const must = async (path: string, limitMs?: number) =>
    (await get(path, limitMs)) ?? missing(`${path}: not found`)
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
    broadcast: raw => broadcast(base, raw),
    async feeRate(blocks) {
      const estimates = formed(
        '/fee-estimates',
        estimatesForm,
        json('/fee-estimates', await text('/fee-estimates')),
      )
      const rate = estimates[blocks]
      return rate === undefined ? null : BigInt(Math.ceil(rate * 1000))
    },
    async outputs(addresses) {
      const before = await this.tip()
      const each = await eachOf(addresses, async ({ address }) => {
        const path = `/address/${address}/utxo`
        const found = formed(path, outputsForm, json(path, await text(path)))
        return found.flatMap(({ txid, vout, value, status }) =>
          status.confirmed ? [{ address, transactionId: txid, position: vout, satoshi: value }] : [],
        )
      })
      if ((await this.tip()).hash !== before.hash) missing('the chain changed while it was read')
      return { block: before, outputs: each.flat() }
    },
    unspent: addresses =>
      unspent(addresses, async path => formed(path, statsForm, json(path, await text(path)))),
  }
}

/** One request per address. */
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

/** In order, a few at a time; the first failure ends it. */
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
  } catch (error) {
    next = items.length
    throw error
  }
  return results
}

/** @returns the node's reason if it refuses the transaction */
async function broadcast(base: string, raw: Uint8Array): Promise<string | null> {
  const path = '/tx'
  const answer = await answerOf(path, { url: base + path, body: bytesToHex(raw) })
  if (answer.status === 200) return null
  const [refusal, code, message, text] = refusalForm.exec(answer.body.toString('utf8')) ?? []
  const isJudged = code === undefined || refusalCodes.has(Number(code)) || Number(code) === minedCode
  if (answer.status !== 400 || refusal === undefined || !isJudged) throw failed(path, answer)
  const words = message ?? text!
  return Number(code) === minedCode || /already[ -]in/.test(words) ? null : words.slice(0, 200)
}

/** The content at a path; undefined if there is none. */
async function found(base: string, path: string, limitMs?: number): Promise<Buffer | undefined> {
  const answer = await answerOf(path, { url: base + path, ...(limitMs ? { limitMs } : {}) })
  if (answer.status === 200) return answer.body
  if (answer.status === 404) return undefined
  throw failed(path, answer)
}

function failed(path: string, { status, waitMs }: Answer): ChainError {
  if (status === 429) return new ChainError(`${path}: too many requests`, { waitMs: waitMs ?? LEFT_ALONE_MS })
  return new ChainError(`${path}: HTTP ${status}`, waitMs === undefined ? {} : { waitMs })
}

function json(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return missing(`${path}: the answer is not JSON`)
  }
}

function formed<Form extends z.ZodType>(what: string, form: Form, answer: unknown): z.output<Form> {
  const parsed = form.safeParse(answer)
  return parsed.success
    ? parsed.data
    : missing(`${what}: unexpected answer, ${parsed.error.issues[0]!.message}`)
}

function missing(words: string): never {
  throw new ChainError(words)
}
