import type { z } from 'zod'
import {
  type Block,
  type Chain,
  ChainError,
  type Scanned,
  type Spend,
  type Transfer,
  type Watched,
} from '#server/rails/chain.ts'
import { assetDecimals } from '#shared/money.ts'
import { tronAddress, tronHash } from './addresses.ts'
import * as forms from './forms.ts'
import { holdings } from './holdings.ts'
import { type Service, type ServiceSettings, serviceAt } from './service.ts'

/** Settings of TRON's sync. */
export type TronChainSettings = ServiceSettings & {
  /** USDT's contract on the configured network. */
  contract: string
  confirmations: number
}

/** A block is solid, and never replaced, when 19 of the 27 super representatives have built on it (TRON's protocol, "SR consensus"). */
export const defaultConfirmations = 20
/** One round of all super representatives. */
const MAX_REORG_DEPTH = 27
/** A hundred block times. */
const STALE_MINUTES = 5

/** Transfer(address,address,uint256), the same event as Ethereum's (EIP-20, TIP-20). */
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The caller of constant functions, which need none. */
const NOBODY = '41'.padEnd(42, '0')

/**
 * USDT on TRON by a node's HTTP interface, which TronGrid offers too. Each block takes two requests, whatever is
 * watched: one for the ids of its transactions, one for their results; both must name the same transactions. That is
 * 57,600 requests a day, of 100,000 with a TronGrid key.
 *
 * Its token service (v1/accounts/…/transactions/trc20) would need a request per address, and its event index
 * (v1/contracts/…/events) fills up after the block, so an early reader would lose events.
 *
 * Nothing is pending: a transaction is in a block after three seconds. TRX is reported, other tokens are not.
 */
export function tronChain({ contract, confirmations, ...settings }: TronChainSettings): Chain {
  const service = serviceAt(settings)
  const usdt: Usdt = { service, contract: Buffer.from(tronHash(contract)).toString('hex') }
  // A contract's decimals never change: check them until they were right once.
  let decimalsFit = false
  const checked = async <T>(work: () => Promise<T>) => {
    if (!decimalsFit) await requireDecimals(usdt)
    decimalsFit = true
    return work()
  }
  const blockAt = async (asked: { id_or_num?: string }) => {
    const block = await service.ask('/wallet/getblock', { ...asked, detail: false }, forms.block)
    return block && blockOf(block)
  }
  const tip = async () => (await blockAt({})) ?? missing('the service has no block')
  return {
    confirmations,
    maxReorgDepth: Math.max(MAX_REORG_DEPTH, confirmations),
    staleMinutes: STALE_MINUTES,
    restSeconds: null,
    tip: () => checked(tip),
    blockAt: height => checked(() => blockAt({ id_or_num: `${height}` })),
    scan: (range, watched) => checked(() => scan(usdt, range, watched)),
    pending: async () => ({ transfers: [], spends: [] }),
    balances: addresses => checked(async () => new Map([['USDT', await balanceOf(usdt, addresses)]])),
    broadcast: raw => checked(() => broadcast(service, raw)),
    holdings: (addresses, to) =>
      checked(async () => {
        const { height } = await tip()
        const balance = (address: string) => balanceOf(usdt, [address])
        return { height, rows: await holdings(usdt, addresses, { to, balanceOf: balance }) }
      }),
    reserves: addresses =>
      checked(async () => {
        const { height, hash } = await tip()
        const holdings = []
        for (const address of addresses) {
          const units = await balanceOf(usdt, [address])
          if (units > 0n) holdings.push({ address, token: 'USDT' as const, units, isContract: false })
        }
        return { block: { height, hash }, holdings, outputs: [] }
      }),
    fees: () =>
      checked(async () => {
        const price = await service.ask('/wallet/getchainparameters', {}, forms.energyPrice)
        return price === 0 ? null : { price: BigInt(price), tip: null }
      }),
  }
}

/** The node could not judge the transaction: it is busy, or has no peers. */
const unjudged: ReadonlySet<string> = new Set([
  'SERVER_BUSY',
  'NO_CONNECTION',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'BLOCK_UNSOLIDIFIED',
  'OTHER_ERROR',
])

async function broadcast(service: Service, raw: Uint8Array): Promise<{ refused: string | null }> {
  const path = '/wallet/broadcasthex'
  const { result, code, message } = await service.ask(
    path,
    { transaction: Buffer.from(raw).toString('hex') },
    forms.broadcast,
  )
  if (result || code === 'DUP_TRANSACTION_ERROR') return { refused: null }
  const words = `${code}: ${message}`.slice(0, 200)
  if (unjudged.has(code)) missing(`${path}: ${words}`)
  return { refused: words }
}

/** The contract as 20 bytes in hexadecimal, as in events. */
type Usdt = { service: Service; contract: string }

async function requireDecimals(usdt: Usdt): Promise<void> {
  const decimals = await call(usdt, 'decimals()', '')
  if (decimals === undefined) missing('there is no USDT at its contract on this network')
  if (decimals !== BigInt(assetDecimals.USDT)) missing(`USDT has ${decimals} decimals there`)
}

async function scan(
  usdt: Usdt,
  { from, to }: { from: number; to: number },
  { addresses, senders }: Watched,
): Promise<Scanned> {
  const blocks: Block[] = []
  const transfers: Transfer[] = []
  const spends: Spend[] = []
  for (let height = from; height <= to; height += 1) {
    const [full, infos] = await Promise.all([fullBlock(usdt.service, height), infosOf(usdt.service, height)])
    const block = blockOf(full)
    const parent = blocks.at(-1)
    if (parent && block.parentHash !== parent.hash) missing(`the chain changed below block ${height}`)
    requireSame(full, infos)
    blocks.push(block)
    const { parentHash: _, ...at } = block
    const plain = new Map(full.transactions.map(({ txID, payment }) => [txID, payment]))
    for (const info of infos) {
      const found = [...transfersIn(usdt, info, addresses), ...paymentIn(info, plain.get(info.id), addresses)]
      transfers.push(...found.map(transfer => ({ ...transfer, block: at })))
    }
    spends.push(...spendsIn(full, senders, at))
  }
  return { blocks, transfers, spends }
}

/** Whatever watched senders sign. */
function spendsIn(
  { transactions }: forms.FullBlock,
  senders: ReadonlySet<string>,
  block: Spend['block'],
): Spend[] {
  if (senders.size === 0) return []
  return transactions.flatMap(({ txID, owner }) => {
    const sender = owner && tronAddress(Buffer.from(owner.slice(2), 'hex'))
    return sender && senders.has(sender) ? [{ slot: txID, sender, transactionId: txID, block }] : []
  })
}

async function fullBlock(service: Service, height: number): Promise<forms.FullBlock> {
  const block = await service.ask(
    '/wallet/getblock',
    { id_or_num: `${height}`, detail: true },
    forms.fullBlock,
  )
  const isRight = block?.block_header.raw_data.number === height
  return isRight ? block : missing(`block ${height} is not there any more`)
}

function infosOf(service: Service, num: number): Promise<forms.Info[]> {
  return service.ask('/wallet/gettransactioninfobyblocknum', { num }, forms.infos)
}

/** Results do not name their block and may come from another node, so compare their transactions with the block's. */
function requireSame({ transactions, block_header }: forms.FullBlock, infos: readonly forms.Info[]): void {
  const { number } = block_header.raw_data
  const ids = new Set(transactions.map(({ txID }) => txID))
  const same = infos.every(({ id, blockNumber }) => blockNumber === number && ids.delete(id))
  if (!same || ids.size > 0) missing(`what became of block ${number} is not of that block`)
}

/** Failed calls emit nothing; an event's place in its transaction is the same in any block. */
function transfersIn(
  { contract }: Usdt,
  { id, result, receipt, log }: forms.Info,
  addresses: ReadonlySet<string>,
): Transfer[] {
  if (result !== undefined || receipt.result !== 'SUCCESS') return []
  return log.flatMap((event, place) => {
    if (event.address !== contract) return []
    const moved = movementOf(event)
    if (!moved || moved.units === 0n || moved.from === moved.to || !addresses.has(moved.to)) return []
    const { from, to: address, units } = moved
    return [
      { transactionId: id, position: place + 1, address, token: 'USDT', units, from: [from], block: null },
    ]
  })
}

/** A payment in TRX, which we never request: somebody took it for USDT, or sent energy to sweep the address. */
function paymentIn(
  { id, result }: forms.Info,
  payment: forms.Payment | undefined,
  addresses: ReadonlySet<string>,
): Transfer[] {
  if (result !== undefined || payment === undefined) return []
  const [from, address] = [payment.owner_address, payment.to_address].map(wire =>
    tronAddress(Buffer.from(wire.slice(2), 'hex')),
  ) as [string, string]
  if (from === address || !addresses.has(address)) return []
  const units = BigInt(payment.amount)
  return [{ transactionId: id, position: 0, address, token: 'TRX', units, from: [from], block: null }]
}

function movementOf({ topics, data }: forms.Event) {
  const [kind, from, to] = topics
  if (kind !== transferTopic || topics.length !== 3 || data.length !== 64) return undefined
  return { from: addressIn(from!), to: addressIn(to!), units: BigInt(`0x${data}`) }
}

/** An address is the last 20 bytes of its word. */
function addressIn(word: string): string {
  return tronAddress(Buffer.from(word.slice(-40), 'hex'))
}

/** One request per address: pass only those that have received something. */
async function balanceOf(usdt: Usdt, addresses: readonly string[]): Promise<bigint> {
  let sum = 0n
  for (const address of addresses) {
    const owner = Buffer.from(tronHash(address)).toString('hex').padStart(64, '0')
    sum += (await call(usdt, 'balanceOf(address)', owner)) ?? missing(`no balance of ${address}`)
  }
  return sum
}

function call({ service, contract }: Usdt, selector: string, parameter: string): Promise<bigint | undefined> {
  const body = {
    owner_address: NOBODY,
    contract_address: `41${contract}`,
    function_selector: selector,
    parameter,
  }
  return service.ask('/wallet/triggerconstantcontract', body, forms.word)
}

function blockOf({ blockID, block_header }: NonNullable<z.output<typeof forms.block>>): Block {
  const { number, parentHash, timestamp } = block_header.raw_data
  return { height: number, hash: blockID, parentHash, time: new Date(timestamp) }
}

function missing(words: string): never {
  throw new ChainError(words)
}
