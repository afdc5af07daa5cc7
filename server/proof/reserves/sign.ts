import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { addressOfScript } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { ChainError } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { addressKey } from '#shared/addresses.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { verifyEthereumMessage, verifyTronMessage } from '#verifier/account-message.mjs'
import { type Coin, verifyBitcoinMessage } from '#verifier/bitcoin-message.mjs'
import { Invalid, Unavailable } from '#verifier/errors.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { MOST_EPOCHS_LATER } from '#verifier/reserves.mjs'
import { isTooOld, newestEpoch } from './message.ts'
import { reserveRefusals } from './messages.ts'

type Input = { id: string; address: string; signature: string }

type Held = { address: string; rail: string; units: bigint; is_contract: boolean; isSigned: boolean }

/** Asks the contract of a signature, outside any transaction. @throws AppError wrong_state, rate_unavailable */
export async function askContract({ services }: SignedInContext, input: Input): Promise<void> {
  const { message } = await openProof(services.db, input.id)
  const held = await heldOf(services.db, input)
  if (!held.is_contract) return
  try {
    const accepts = chainOf(services.config, 'ethereum')?.acceptsSignature
    if (await accepts?.(held.address, message, inHex(input.signature))) return
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw reserveRefusals.error(
      { reason: 'not_judged', address: held.address, why: error.message },
      'signature',
    )
  }
  throw reserveRefusals.error({ reason: 'contract_refused', address: held.address }, 'signature')
}

/**
 * Adds the signature of an address, once it is valid. `askContract` has asked a contract.
 * @returns the addresses that it proves
 * @throws AppError not_found, wrong_state
 */
export async function addSignature(tx: Tx, ctx: SignedInContext, input: Input): Promise<string[]> {
  const { message } = await openProof(tx, input.id)
  const held = await heldOf(tx, input)
  if (held.isSigned) throw reserveRefusals.error({ reason: 'signed', address: held.address }, 'address')
  const { rails } = ctx.services.config
  const signature = formOf(held, input.signature)
  const coins = verify(held, message, signature)
  const network = bitcoinNetworks[rails.bitcoin.network]
  const others = await shownBy(tx, input.id, held, coins, script => addressOfScript(script, network))
  const rows = [
    { address: held.address, signature },
    ...others.map(address => ({ address, signature: `pof@${held.address}` })),
  ]
  const by = { proof: input.id, added_by: ctx.caller.userId, added_at: ctx.services.clock.now() }
  await tx
    .insertInto('app.reserve_signatures')
    .values(rows.map(row => ({ ...row, ...by })))
    .execute()
  const addresses = rows.map(({ address }) => address)
  const subject = { kind: 'reserves', id: input.id }
  await audit(tx, ctx, { action: 'reserves.signed', subject, details: { addresses } })
  return addresses
}

/** Wallets that know BIP-322 in its earlier form give a simple signature without its prefix, and PSBTs without theirs. */
function formOf({ rail }: Held, text: string): string {
  if (rail !== 'bitcoin') return inHex(text)
  const signature = text.replaceAll(/\s/g, '')
  if (/^(smp|ful|pof)/.test(signature)) return signature
  return signature.startsWith('cHNidP') ? `pof${signature}` : `smp${signature}`
}

function inHex(text: string): string {
  const digits = text.replaceAll(/\s/g, '').toLowerCase()
  return digits.startsWith('0x') ? digits : `0x${digits}`
}

/** By the code of the verifier: what it accepts is what strangers' verifiers accept. */
function verify({ rail, address, is_contract }: Held, message: string, signature: string): Coin[] {
  const signed = { address, message, signature }
  try {
    if (rail === 'bitcoin') return verifyBitcoinMessage(nodeHashes, signed)
    if (rail === 'usdt') verifyTronMessage(nodeHashes, signed)
    else if (!is_contract) verifyEthereumMessage(signed)
    return []
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Unavailable)) throw error
    const reason = error instanceof Invalid ? 'invalid' : 'not_judged'
    throw reserveRefusals.error({ reason, address, why: error.message }, 'signature')
  }
}

/**
 * Other addresses of the proof whose coins a proof of funds shows, all of them.
 * @throws AppError wrong_state if it shows another amount of its own address than the node did
 */
async function shownBy(
  tx: Tx,
  proof: string,
  own: Held,
  coins: readonly Coin[],
  addressOf: (script: Uint8Array) => string | undefined,
): Promise<string[]> {
  if (coins.length === 0) return []
  const shown = new Map<string, bigint>()
  for (const coin of new Map(coins.map(each => [each.outpoint, each])).values()) {
    const address = addressOf(coin.script) ?? ''
    shown.set(address, (shown.get(address) ?? 0n) + coin.amount)
  }
  const held = await allHeld(tx, proof)
  if (shown.get(own.address) !== own.units) {
    const why = `it shows ${shown.get(own.address) ?? 0n} satoshi of it, and our node had ${own.units}`
    throw reserveRefusals.error({ reason: 'invalid', address: own.address, why }, 'signature')
  }
  return held
    .filter(
      ({ address, units, isSigned }) => !isSigned && address !== own.address && shown.get(address) === units,
    )
    .map(({ address }) => address)
}

type Reader = Services['db']

/** @throws AppError not_found; wrong_state if it takes no signatures */
export async function openProof(db: Reader, id: string): Promise<{ message: string; epoch: bigint }> {
  const proof = await db
    .selectFrom('app.reserve_proofs')
    .select(['message', 'epoch', 'published_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (proof === undefined) throw new AppError('not_found', t('There is no such proof of reserves.'))
  const { message, epoch, published_at } = proof
  if (message === null || epoch === null || published_at !== null)
    throw reserveRefusals.error({ reason: 'not_open' })
  const newest = (await newestEpoch(db))!.epoch
  if (isTooOld(epoch, newest)) throw reserveRefusals.error({ reason: 'expired', epochs: MOST_EPOCHS_LATER })
  return { message, epoch }
}

async function heldOf(db: Reader, { id, address }: Input): Promise<Held> {
  const key = addressKey(address)
  const found = (await allHeld(db, id)).find(one => addressKey(one.address) === key)
  if (found === undefined) throw reserveRefusals.error({ reason: 'not_asked', address }, 'address')
  return found
}

/** A row for each address with coins; `units` of one of them. */
async function allHeld(db: Reader, proof: string): Promise<Held[]> {
  const rows = await db
    .selectFrom('app.reserve_holdings as h')
    .innerJoin('app.reserve_addresses as a', join =>
      join.onRef('a.proof', '=', 'h.proof').onRef('a.address', '=', 'h.address'),
    )
    .leftJoin('app.reserve_signatures as s', join =>
      join.onRef('s.proof', '=', 'h.proof').onRef('s.address', '=', 'h.address'),
    )
    .select(['h.address', 'a.rail', 'h.units', 'h.is_contract', 's.signature'])
    .where('h.proof', '=', proof)
    .execute()
  return rows.map(({ signature, ...row }) => ({ ...row, isSigned: signature !== null }))
}
