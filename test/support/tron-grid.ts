import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setSignEntropy, sign } from 'viem/accounts'
import { tronAddress, tronHash } from '#server/rails/tron/addresses.ts'
import type { TronTransaction as Unsigned } from '#server/rails/tron/transaction.ts'
import { atEnd } from './clean-up.ts'
import { isSignedByOwner, readTransfer, readTron, type SignedTron, tronWeb } from './tronweb.ts'

/**
 * TronGrid, as far as we use it, with a chain that a test writes. Its answers have the documented forms, including
 * fields that we do not read: tronprotocol.github.io/documentation-en/api/http/block-and-tx-query/getblock and
 * …/gettransactioninfobyblocknum, developers.tron.network/reference/triggerconstantcontract and …/rate-limits.
 */

/** A contract's event; USDT's by default. */
export type TronEvent = { contract?: string; from: string; to: string; units: bigint }

export type TronTransaction = {
  id: string
  events: TronEvent[]
  /** The result of its call; a payment in TRX makes none. */
  outcome: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY' | 'TRX'
  /** Instead of what its events say. */
  contract?: { type: string; parameter?: unknown }
}

export type TronBlock = {
  id: string
  number: number
  parent: string
  timestamp: number
  transactions: TronTransaction[]
}
export type Answer = { status?: number; headers?: Record<string, string>; body: string }
export type Asked = { path: string; body: Record<string, unknown>; headers: IncomingHttpHeaders }

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Where a chain begins if a test does not say. */
const FIRST = 66_987_565

/** A node's answer to a signed transaction (…/http/tx-build-and-broadcast/broadcasttransaction). */
type Received = { result: true; txid: string } | { code: string; txid: string }

/** A key of a wallet that exists only on the test's chain. */
const privateKey = '17'.repeat(32)

/** The wallet of the payout address, which signs what it is given; no two signatures are equal, unlike TronWeb's. */
export const tronWallet = {
  address: tronWeb.address.fromPrivateKey(privateKey) as string,
  async sign(transaction: Unsigned): Promise<SignedTron> {
    const hash = `0x${transaction.txID}` as const
    // viem keeps it for all keys, and reads it when `sign` begins.
    setSignEntropy(true)
    const signing = sign({ hash, privateKey: `0x${privateKey}`, to: 'hex' })
    setSignEntropy('0x')
    const signature = await signing
    return { ...transaction, signature: [signature.slice(2)] }
  },
}

export type TronGrid = Awaited<ReturnType<typeof startTronGrid>>

let transactions = 0
/** A transaction with a new id. */
export function tronTransaction(
  events: TronEvent[],
  outcome: TronTransaction['outcome'] = 'SUCCESS',
): TronTransaction {
  transactions += 1
  return { id: digest(`transaction ${transactions}`), events, outcome }
}

/** @param usdt the USDT contract there; ends with the test file @param first the number of the chain's first block */
export async function startTronGrid(usdt: string, first = FIRST) {
  const blocks: TronBlock[] = [
    {
      id: blockId(first, 'first'),
      number: first,
      parent: blockId(Math.max(0, first - 1), ''),
      // Recent, as the newest block of a service that follows the network is.
      timestamp: Date.now() - 120_000,
      transactions: [],
    },
  ]
  const asked: Asked[] = []
  const contract = { decimals: 6n as bigint | undefined }
  let forks = 0
  let waiting: TronTransaction[] = []
  const grid = {
    url: '',
    asked,
    contract,
    /** All, lowest first. */
    get blocks(): readonly TronBlock[] {
      return blocks
    },
    /** Overrides answers, if it returns something. */
    instead: (_request: Asked): Answer | undefined => undefined,
    get tip() {
      return blocks.at(-1)!
    },
    /** Mines a block with the pending and these transactions. */
    add(...others: TronTransaction[]): TronBlock {
      const { number, id, timestamp } = grid.tip
      const transactions = [...waiting, ...others]
      waiting = []
      const next = { number: number + 1, parent: id, timestamp: timestamp + 3000, transactions }
      blocks.push({ ...next, id: blockId(next.number, `${id} ${forks} ${transactions.map(one => one.id)}`) })
      return grid.tip
    },
    /** Removes the last blocks; later blocks belong to another chain. */
    fork(depth: number): void {
      forks += 1
      blocks.splice(-depth)
    },
    /** A wallet's USDT transfer: checked as a node does, and included in the next block. */
    async broadcast(signed: SignedTron): Promise<Received> {
      const { txID: txid, raw_data: raw } = signed
      const isKnown = [...waiting, ...blocks.flatMap(({ transactions }) => transactions)].some(
        ({ id }) => id === txid,
      )
      const isOfThisChain = blocks.some(
        ({ id }) => id.slice(12, 16) === raw.ref_block_bytes && id.slice(16, 32) === raw.ref_block_hash,
      )
      if (!isSignedByOwner(signed)) return { code: 'SIGERROR', txid }
      if (isKnown) return { code: 'DUP_TRANSACTION_ERROR', txid }
      if (!isOfThisChain) return { code: 'TAPOS_ERROR', txid }
      if (raw.expiration <= grid.tip.timestamp) return { code: 'TRANSACTION_EXPIRATION_ERROR', txid }
      const event = transferIn(signed)
      // Only a payment in TRX opens an account; the test's wallet has one.
      const hasAccount = event.from === tronWallet.address || trxOf(event.from, blocks) > 0n
      if (!hasAccount) return { code: 'CONTRACT_VALIDATE_ERROR', txid }
      const outcome = raw.contract[0].type === 'TransferContract' ? 'TRX' : 'SUCCESS'
      waiting.push({ id: txid, events: [event], outcome })
      return { result: true, txid }
    },
    /** The answer of gettransactioninfobyblocknum for a block. */
    infos: (number: number) => infosOf(usdt, blocks, number),
  }
  const broadcastHex = async (transaction: string) => {
    const { code, ...answer } = { code: 'SUCCESS', ...(await grid.broadcast(readTron(transaction))) }
    const isAccepted = code === 'SUCCESS'
    return {
      ...answer,
      result: isAccepted,
      code,
      message: isAccepted ? '' : 'Validate the transaction',
      transaction,
    }
  }
  const answer = async (request: Asked): Promise<Answer> => {
    const own = grid.instead(request)
    if (own) return own
    return {
      body: JSON.stringify(
        (await answered(request)) ?? { Error: 'class java.lang.Exception : no such path' },
      ),
    }
  }
  const answered = ({ path, body }: Asked): unknown => {
    const ofBlock = blockAnswer(usdt, blocks, { path, body })
    if (ofBlock !== undefined) return ofBlock
    if (path === '/wallet/broadcasthex') return broadcastHex(`${body.transaction}`)
    if (path === '/wallet/getaccount') {
      const address = tronAddress(Buffer.from(`${body.address}`.slice(2), 'hex'))
      const balance = address === tronWallet.address ? 1_000_000_000n : trxOf(address, blocks)
      return balance === 0n ? {} : { address: body.address, balance: Number(balance) }
    }
    if (path === '/wallet/getchainparameters')
      return {
        chainParameter: [
          { key: 'getTransactionFee', value: 1_000 },
          { key: 'getEnergyFee', value: 100 },
          { key: 'getAllowMarketTransaction' },
        ],
      }
    if (path === '/wallet/triggerconstantcontract') return called(usdt, body, contract.decimals, blocks)
    return undefined
  }
  const server = createServer(async (request, response) => {
    const read = await text(request)
    const one: Asked = { path: request.url ?? '', body: JSON.parse(read), headers: request.headers }
    asked.push(one)
    const { status = 200, headers = {}, body } = await answer(one)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  grid.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  atEnd(stop)
  return Object.assign(grid, { stop })
}

/** What a node with these blocks answers about them; undefined to other requests. */
export function blockAnswer(
  usdt: string,
  blocks: readonly TronBlock[],
  { path, body }: Pick<Asked, 'path' | 'body'>,
): unknown {
  if (path === '/wallet/gettransactioninfobyblocknum') return infosOf(usdt, blocks, Number(body.num))
  if (path !== '/wallet/getblock') return undefined
  const { id_or_num: wanted, detail } = body
  const block = wanted === undefined ? blocks.at(-1) : blocks.find(one => `${one.number}` === wanted)
  return blockOf(usdt, block, detail === true)
}

function transferIn({ raw_data }: SignedTron): TronEvent {
  const { value } = raw_data.contract[0].parameter
  const from = tronWeb.address.fromHex(value.owner_address)
  if ('amount' in value)
    return { from, to: tronWeb.address.fromHex(value.to_address), units: BigInt(value.amount) }
  return { contract: tronWeb.address.fromHex(value.contract_address), from, ...readTransfer(value.data) }
}

/** Without its transactions unless requested, and without an empty list; {} if there is none. */
function blockOf(usdt: string, block: TronBlock | undefined, detail: boolean): unknown {
  if (!block) return {}
  const { id, number, parent, timestamp, transactions } = block
  const header = {
    number,
    txTrieRoot: digest(`trie ${id}`),
    witness_address: '41b2f713d57dbcec679d93a8849fa0cd0e4db594ba',
    parentHash: parent,
    version: 34,
    timestamp,
  }
  const signature = digest(`signature ${id}`).repeat(2).concat('00')
  return {
    blockID: id,
    block_header: { raw_data: header, witness_signature: signature },
    ...(detail && transactions.length > 0
      ? { transactions: transactions.map(one => transactionOf(usdt, one, block)) }
      : {}),
  }
}

function transactionOf(
  usdt: string,
  { id, events, outcome, contract }: TronTransaction,
  { timestamp }: TronBlock,
): unknown {
  const [{ from, to, units }] = events as [TronEvent]
  const call = {
    type: 'TriggerSmartContract',
    value: {
      data: `a9059cbb${word(to)}${hex(units)}`,
      owner_address: wire(from),
      contract_address: wire(usdt),
    },
  }
  const payment = {
    type: 'TransferContract',
    value: { amount: Number(units), owner_address: wire(from), to_address: wire(to) },
  }
  const { type, value } = outcome === 'TRX' ? payment : call
  return {
    ret: [{ contractRet: outcome === 'TRX' ? 'SUCCESS' : outcome }],
    signature: [digest(`signature ${id}`).repeat(2).concat('01')],
    txID: id,
    raw_data: {
      contract: [
        contract ?? { parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type },
      ],
      ref_block_bytes: '2626',
      ref_block_hash: digest(id).slice(0, 16),
      expiration: timestamp + 60_000,
      timestamp: timestamp - 1000,
    },
    raw_data_hex: digest(`raw ${id}`),
  }
}

/** Omits everything empty, zero or false; a block without transactions is []. */
function infosOf(usdt: string, blocks: readonly TronBlock[], wanted: number): unknown[] {
  const block = blocks.find(({ number }) => number === wanted)
  return (block?.transactions ?? []).map(({ id, events, outcome }) => {
    const about = { id, blockNumber: block!.number, blockTimeStamp: block!.timestamp }
    if (outcome === 'TRX')
      return { ...about, fee: 267_000, contractResult: [''], receipt: { net_fee: 267_000 } }
    const failed = outcome !== 'SUCCESS'
    return {
      ...about,
      fee: 6_762_000,
      contractResult: [failed ? '' : '1'.padStart(64, '0')],
      contract_address: wire(usdt),
      receipt: { energy_usage_total: 64_285, net_usage: 345, result: outcome },
      ...(failed ? { result: 'FAILED', resMessage: '524556455254206f70636f6465206578656375746564' } : {}),
      ...(failed || events.length === 0 ? {} : { log: events.map(event => logOf(usdt, event)) }),
    }
  })
}

function logOf(usdt: string, { contract = usdt, from, to, units }: TronEvent): unknown {
  return {
    address: wire(contract).slice(2),
    topics: [transferTopic, word(from), word(to)],
    data: hex(units),
  }
}

function called(
  usdt: string,
  body: Record<string, unknown>,
  decimals: bigint | undefined,
  blocks: TronBlock[],
): unknown {
  const { contract_address: contract, function_selector: selector, parameter } = body
  if (decimals === undefined || contract !== wire(usdt)) {
    const message = Buffer.from('Smart contract is not exist.').toString('hex')
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } }
  }
  const isTransfer = selector === 'transfer(address,uint256)'
  const answer =
    selector === 'decimals()' ? decimals : isTransfer ? 1n : balance(usdt, `${parameter}`, blocks)
  return {
    result: { result: true },
    energy_used: isTransfer ? 64_285 : 541,
    constant_result: [hex(answer)],
    transaction: { ret: [{}], visible: false, txID: digest(`call ${parameter}`) },
  }
}

/** What an address has received and not sent on. */
function balance(usdt: string, owner: string, blocks: TronBlock[]): bigint {
  const moved = eventsOf(blocks, 'SUCCESS').filter(({ contract = usdt }) => contract === usdt)
  return left(moved, address => word(address) === owner)
}

/** The same in TRX; the fees of transactions are not counted. */
function trxOf(owner: string, blocks: TronBlock[]): bigint {
  return left(eventsOf(blocks, 'TRX'), address => address === owner)
}

function eventsOf(blocks: TronBlock[], outcome: TronTransaction['outcome']): TronEvent[] {
  return blocks
    .flatMap(({ transactions }) => transactions)
    .filter(one => one.outcome === outcome)
    .flatMap(({ events }) => events)
}

/** Never below zero: the test's payers have enough of everything. */
function left(events: readonly TronEvent[], isOwner: (address: string) => boolean): bigint {
  const sum = events.reduce(
    (total, { from, to, units }) => total + (isOwner(to) ? units : 0n) - (isOwner(from) ? units : 0n),
    0n,
  )
  return sum > 0n ? sum : 0n
}

/** A block id begins with its number, in eight bytes. */
export function blockId(number: number, content: string): string {
  return number.toString(16).padStart(16, '0') + digest(`block ${content}`).slice(16)
}

/** An address as a node writes it: 41 and 20 bytes. */
function wire(address: string): string {
  return `41${Buffer.from(tronHash(address)).toString('hex')}`
}

function word(address: string): string {
  return Buffer.from(tronHash(address)).toString('hex').padStart(64, '0')
}

function hex(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}
