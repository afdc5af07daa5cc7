import { bytesToHex } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { answerOf } from '#server/rails/http.ts'
import { parseDecimal } from '#shared/money.ts'
import { type BitcoinChainSettings, bitcoinChain } from './chain.ts'
import type { Payable, Source } from './source.ts'

/**
 * Bitcoin by the JSON-RPC of Bitcoin Core, 0.21 or later. A pruned node works if it keeps the unscanned blocks and a
 * hundred before; it needs neither a wallet nor `-txindex`.
 * @param url http(s) with user and password; no error repeats it
 */
export function coreChain(url: string, settings: BitcoinChainSettings): Chain {
  return bitcoinChain(coreSource(url), settings)
}

/** How long the node may scan all unspent outputs, in milliseconds; the main network takes one or two minutes. */
const SCAN_MS = 280_000
/** 4 MB blocks, in hexadecimal. */
const BLOCK_MS = 60_000

/** Codes of Bitcoin Core's src/rpc/protocol.h. */
const codes = { outOfRange: -8, notFound: -5, warmingUp: -28 } as const
/** Of sendrawtransaction: it cannot be read, what it spends is unknown or spent, or the mempool's rules refuse it. */
export const refusalCodes: ReadonlySet<number> = new Set([-22, -25, -26])
/** Of sendrawtransaction: it is in a block already. */
export const minedCode = -27

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const poolForm = z.object({ loaded: z.boolean() })
const hex = z.string().regex(/^(?:[0-9a-f]{2})+$/)
const bytes = hex.transform(text => Buffer.from(text, 'hex'))
const tipForm = z.object({
  blocks: z.int().nonnegative(),
  bestblockhash: hash,
  initialblockdownload: z.boolean(),
})
/** Always eight decimals (ValueFromAmount of src/core_io); `exact` keeps them as text. */
const amount = z.string().transform((text, context) => {
  const satoshi = parseDecimal(text, 8)
  if (satoshi !== undefined && satoshi >= 0n) return satoshi
  context.addIssue('is no amount')
  return z.NEVER
})
/** Bitcoin per 1,000 virtual bytes; without one, `errors` says why. */
const estimateForm = z.object({ feerate: amount.optional() })
const scanStatus = z.object({}).nullable()
const scanForm = z.object({ success: z.literal(true), total_amount: amount })

const outputsForm = z.object({
  success: z.literal(true),
  height: z.int().nonnegative(),
  bestblock: hash,
  unspents: z.array(z.object({ txid: hash, vout: z.int().nonnegative(), scriptPubKey: hex, amount })),
})

/** The node as a source for `bitcoinChain`, which checks hashes. */
export function coreSource(url: string): Source {
  const node = nodeAt(url)
  return {
    async tip() {
      const { blocks, bestblockhash, initialblockdownload } = await node.ask('getblockchaininfo', [], tipForm)
      if (initialblockdownload) throw new ChainError('the node is still syncing')
      return { height: blocks, hash: bestblockhash }
    },
    hashAt: height => node.find('getblockhash', [height], hash, codes.outOfRange),
    header: id => node.ask('getblockheader', [id, false], bytes),
    block: id => node.ask('getblock', [id, 0], bytes, { limitMs: BLOCK_MS }),
    async unconfirmed() {
      // A restarted node answers before it has reloaded its mempool.
      const { loaded } = await node.ask('getmempoolinfo', [], poolForm)
      if (!loaded) throw new ChainError('the node is still loading its mempool')
      return node.ask('getrawmempool', [], z.array(hash))
    },
    transactions: ids => node.findAll('getrawtransaction', ids, bytes, codes.notFound),
    async broadcast(raw) {
      const { error } = await node.answer('sendrawtransaction', [bytesToHex(raw)])
      if (!error || error.code === minedCode) return null
      if (refusalCodes.has(error.code)) return error.message.slice(0, 200)
      throw errorOf('sendrawtransaction', error)
    },
    async feeRate(blocks) {
      const limits = { exact: 'feerate' }
      return (await node.ask('estimatesmartfee', [blocks], estimateForm, limits)).feerate ?? null
    },
    unspent: async addresses => {
      const limits = { limitMs: SCAN_MS, exact: 'total_amount' }
      return (await scanOutputs(node, addresses, scanForm, limits)).total_amount
    },
    async outputs(addresses) {
      const limits = { limitMs: SCAN_MS, exact: 'amount' }
      const { height, bestblock, unspents } = await scanOutputs(node, addresses, outputsForm, limits)
      const owners = new Map(addresses.map(({ address, script }) => [bytesToHex(script), address]))
      const outputs = unspents.map(({ txid, vout, scriptPubKey, amount: satoshi }) => ({
        address: owners.get(scriptPubKey) ?? missing('scantxoutset: an output of an address not asked for'),
        transactionId: txid,
        position: vout,
        satoshi,
      }))
      return { block: { height, hash: bestblock }, outputs }
    },
  }
}

/**
 * Scans all unspent outputs, the only way without a wallet or index; it takes as long for one address as for thousands.
 * The node runs one scan at a time and refuses a second caller, whose refusal does not stop the first.
 */
async function scanOutputs<Form extends z.ZodType>(
  node: Node,
  addresses: readonly Payable[],
  form: Form,
  limits: Limits,
): Promise<z.output<Form>> {
  const busy = await node.ask('scantxoutset', ['status'], scanStatus)
  if (busy !== null) throw new ChainError("another client is scanning the node's unspent outputs")
  const outputs = addresses.map(({ script }) => `raw(${bytesToHex(script)})`)
  try {
    return await node.ask('scantxoutset', ['start', outputs], form, limits)
  } catch (error) {
    // Abort our scan if it takes too long: it would block the next one.
    const isLate = error instanceof ChainError && error.isLate
    if (isLate) await node.ask('scantxoutset', ['abort'], z.boolean()).catch(() => {})
    throw error
  }
}

type Call = { method: string; params: readonly unknown[] }
type Limits = {
  limitMs?: number
  /** A number kept as text, because binary fractions are inexact. */
  exact?: string
}
type Node = ReturnType<typeof nodeAt>

const answerForm = z.object({
  id: z.int(),
  result: z.unknown(),
  error: z.object({ code: z.int(), message: z.string() }).nullish(),
})
type Answered = z.output<typeof answerForm>

/** A node's JSON-RPC over HTTP. No retries; a ChainError says in plain words what is wrong. */
function nodeAt(url: string) {
  const headers = { 'content-type': 'application/json' }
  const all = async (calls: readonly Call[], { limitMs, exact }: Limits = {}): Promise<Answered[]> => {
    const what = calls[0]!.method
    // Always a batch: its errors come as answers, while the HTTP status of single errors varies by version.
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '1.0', id, ...call })))
    const answer = await answerOf(what, { url, headers, body, ...(limitMs ? { limitMs } : {}) })
    if (answer.status !== 200) throw refused(what, answer)
    const text = answer.body.toString('utf8')
    const answers = formed(what, z.array(answerForm), json(what, exact ? quoted(text, exact) : text))
    return calls.map((_, id) => answers.find(each => each.id === id) ?? missing(`${what}: incomplete answer`))
  }
  /** The result, or undefined if the node's error means that there is none. */
  const found = <Form extends z.ZodType>(what: string, answer: Answered, form: Form, noneCode?: number) => {
    if (!answer.error) return formed(what, form, answer.result)
    if (answer.error.code === noneCode) return undefined
    throw errorOf(what, answer.error)
  }
  return {
    /** The node's answer or its error. */
    async answer(method: string, params: readonly unknown[]): Promise<Answered> {
      const [answer] = await all([{ method, params }])
      return answer!
    },
    async ask<Form extends z.ZodType>(
      method: string,
      params: readonly unknown[],
      form: Form,
      limits?: Limits,
    ): Promise<z.output<Form>> {
      const [answer] = await all([{ method, params }], limits)
      return found(method, answer!, form)!
    },
    async find<Form extends z.ZodType>(
      method: string,
      params: readonly unknown[],
      form: Form,
      noneCode: number,
    ): Promise<z.output<Form> | undefined> {
      const [answer] = await all([{ method, params }])
      return found(method, answer!, form, noneCode)
    },
    /** One call per parameter, in one batch. */
    async findAll<Form extends z.ZodType>(
      method: string,
      params: readonly string[],
      form: Form,
      noneCode: number,
    ): Promise<(z.output<Form> | undefined)[]> {
      if (params.length === 0) return []
      const answers = await all(params.map(each => ({ method, params: [each] })))
      return answers.map(answer => found(method, answer, form, noneCode))
    },
  }
}

function errorOf(what: string, { code, message }: NonNullable<Answered['error']>): ChainError {
  const words = message.slice(0, 200)
  if (code === codes.warmingUp) return new ChainError(`the node is still starting: ${words}`)
  return new ChainError(`${what}: error ${code}, ${words}`)
}

function refused(
  what: string,
  { status, waitMs }: { status: number; waitMs: number | undefined },
): ChainError {
  if (status === 401) return new ChainError('the node refuses the user name or password')
  if (status === 403)
    return new ChainError(
      'the node takes no calls from this machine (rpcallowip) or of this kind (rpcwhitelist)',
    )
  return new ChainError(`${what}: HTTP ${status}`, waitMs === undefined ? {} : { waitMs })
}

function json(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return missing(`${what}: the answer is not JSON`)
  }
}

/** The number with this name, as text. Quotation marks inside a JSON string are escaped, so nothing else can match. */
function quoted(text: string, name: string): string {
  return text.replaceAll(new RegExp(`"${name}":\\s*(-?[0-9.]+)(?=[\\s,}])`, 'g'), `"${name}":"$1"`)
}

function formed<Form extends z.ZodType>(what: string, form: Form, answer: unknown): z.output<Form> {
  const parsed = form.safeParse(answer)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  return missing(`${what}: unexpected answer, ${[...path, message].join(' ').slice(0, 200)}`)
}

function missing(words: string): never {
  throw new ChainError(words)
}
