import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outpointOf } from '#server/rails/chain.ts'
import { AppError } from '#shared/errors.ts'
import {
  accountOf,
  finalPsbt,
  otherAccount,
  walletNetwork,
  walletRoot,
} from '#test/support/bitcoin-wallet.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { addressAt, addressOfScript, type BitcoinAccount, bitcoinAccount, outputScript } from './addresses.ts'
import { coreChain } from './core.ts'
import { bitcoinNetworks } from './networks.ts'
import type { Unspent } from './outputs.ts'
import { buildPayout, mostBytes, mostInputs, type PayoutRequest } from './psbt.ts'

const network = walletNetwork
const root = walletRoot
const hardened = 2 ** 31
const accounts = { wpkh: accountOf('wpkh'), tr: accountOf('tr') }
const elsewhere = otherAccount
const payee = (index: number) => addressAt(elsewhere, 0, index)

/** An output of the account, with its own id. */
function unspentOf(satoshi: bigint, at: number): Unspent {
  return {
    transactionId: (at + 1).toString(16).padStart(64, '0'),
    position: at % 3,
    satoshi,
    branch: at % 2,
    addressIndex: at % 5,
  }
}
const request = (changes: Partial<PayoutRequest>): PayoutRequest => ({
  account: accounts.wpkh,
  unspent: [unspentOf(1_000_000n, 0)],
  payments: [{ address: payee(0), satoshi: 400_000n }],
  changeIndex: 3,
  feeRate: 10,
  ...changes,
})
const sum = (items: readonly { satoshi: bigint }[]) =>
  items.reduce((total, { satoshi }) => total + satoshi, 0n)
const parsed = (psbt: string) => Transaction.fromPSBT(base64.decode(psbt))
describe('an unsigned payout', () => {
  test.each(['wpkh', 'tr'] as const)(
    '[K-02] %s: pays the requested amounts with change, and can be signed by its file alone',
    script => {
      const account = accounts[script]
      const { psbt, transactionId, inputs, feeSatoshi, vsize, change } = buildPayout(request({ account }))
      const transaction = parsed(psbt)
      expect(transaction.getOutput(0)).toMatchObject({
        amount: 400_000n,
        script: outputScript(elsewhere, 0, 0),
      })
      expect(transaction.getOutput(1).amount).toBe(change!.satoshi)
      expect(transaction.getOutput(1).script).toEqual(outputScript(account, 1, 3))
      expect(change).toEqual({
        address: addressAt(account, 1, 3),
        addressIndex: 3,
        satoshi: 1_000_000n - 400_000n - feeSatoshi,
      })
      expect(inputs).toEqual([{ outpoint: outpointOf('1'.padStart(64, '0'), 0), satoshi: 1_000_000n }])
      expect(feeSatoshi).toBe(BigInt(vsize) * 10n)
      const done = finalPsbt(psbt)
      expect(done.id).toBe(transactionId)
      expect(done.fee).toBe(feeSatoshi)
      expect(done.vsize).toBeLessThanOrEqual(vsize)
      expect(vsize - done.vsize).toBeLessThanOrEqual(1)
    },
  )

  test('[K-02] hardware wallets find the origin of each input and of the change', () => {
    const path = (purpose: number, branch: number, index: number) => ({
      fingerprint: root.fingerprint,
      path: [hardened + purpose, hardened + 1, hardened, branch, index],
    })
    const witness = parsed(buildPayout(request({ unspent: [unspentOf(1_000_000n, 4)] })).psbt)
    expect(witness.getInput(0).bip32Derivation![0]![1]).toEqual(path(84, 0, 4))
    expect(witness.getInput(0).witnessUtxo).toEqual({
      amount: 1_000_000n,
      script: outputScript(accounts.wpkh, 0, 4),
    })
    expect(witness.getOutput(1).bip32Derivation![0]![1]).toEqual(path(84, 1, 3))
    expect(witness.getOutput(0).bip32Derivation).toBeUndefined()
    const taproot = parsed(buildPayout(request({ account: accounts.tr })).psbt)
    expect(taproot.getInput(0).tapBip32Derivation![0]![1]).toEqual({ hashes: [], der: path(86, 0, 0) })
    expect(taproot.getOutput(1).tapBip32Derivation![0]![1]).toEqual({ hashes: [], der: path(86, 1, 3) })
    // Without its origin, the account's key is the root.
    const bare = parsed(buildPayout(request({ account: elsewhere })).psbt)
    expect(bare.getInput(0).bip32Derivation![0]![1]).toEqual({
      fingerprint: elsewhere.keys[0]!.key.fingerprint,
      path: [0, 0],
    })
  })

  test('[K-02] P2WPKH inputs carry their previous transaction (BIP-174), never a wrong one', () => {
    const paidBy = (account: BitcoinAccount, script = outputScript(account, 0, 0)) => {
      const transaction = new Transaction()
      transaction.addInput({ txid: hexToBytes('ab'.repeat(32)), index: 1 })
      transaction.addOutput({ script, amount: 1_000_000n })
      const unspent = { ...unspentOf(1_000_000n, 0), transactionId: transaction.id, position: 0, branch: 0 }
      return { unspent: [unspent], previous: new Map([[transaction.id, transaction.unsignedTx]]) }
    }
    const { psbt } = buildPayout(request(paidBy(accounts.wpkh)))
    const input = parsed(psbt).getInput(0)
    expect(input.nonWitnessUtxo!.outputs[0]!.amount).toBe(1_000_000n)
    expect(input.witnessUtxo!.amount).toBe(1_000_000n)
    expect(finalPsbt(psbt).inputsLength).toBe(1)
    // A P2TR signature covers all amounts (BIP-341).
    const taproot = buildPayout(request({ account: accounts.tr, ...paidBy(accounts.tr) }))
    expect(parsed(taproot.psbt).getInput(0).nonWitnessUtxo).toBeUndefined()
    const large = paidBy(accounts.wpkh)
    const [id] = large.previous.keys()
    const wrong = new Map([[id!, new Transaction().unsignedTx]])
    expect(() => buildPayout(request({ ...large, previous: wrong }))).toThrow()
  })

  test('[K-02] a file is never larger than devices take', () => {
    /** Paid by a transaction of almost the size that the network relays. */
    const coinOf = (at: number) => {
      const large = new Transaction({ allowUnknownOutputs: true })
      large.addInput({ txid: hexToBytes('ab'.repeat(32)), index: at })
      large.addOutput({ script: outputScript(accounts.wpkh, 0, 0), amount: 100_000n })
      large.addOutput({ script: concatBytes(Uint8Array.of(0x6a, 0x4e), new Uint8Array(95_000)), amount: 0n })
      const unspent = { ...unspentOf(100_000n, at), transactionId: large.id, position: 0 }
      return {
        unspent: { ...unspent, branch: 0, addressIndex: 0 },
        previous: [large.id, large.unsignedTx] as const,
      }
    }
    const pay = (coins: number) => {
      const made = Array.from({ length: coins }, (_, at) => coinOf(at))
      return buildPayout(
        request({
          unspent: made.map(({ unspent }) => unspent),
          previous: new Map(made.map(({ previous }) => previous)),
          payments: [{ address: payee(0), satoshi: 100_000n * BigInt(coins) - 10_000n }],
        }),
      )
    }
    expect(base64.decode(pay(4).psbt).length).toBeLessThanOrEqual(mostBytes)
    expect(() => pay(5)).toThrow(expect.objectContaining({ reason: 'file_too_large' }))
  })

  test('[K-02] a taproot address that no key can have is refused in words', () => {
    // No point of the curve has this x (BIP-340, lift_x of the test vectors' fifth public key).
    const x = 'eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34'
    const address = addressOfScript(hexToBytes(`5120${x}`), network)!
    expect(() => buildPayout(request({ payments: [{ address, satoshi: 400_000n }] }))).toThrow(
      expect.objectContaining({ reason: 'unspendable_address' }),
    )
  })

  test('[K-02] its inputs can be replaced for a higher fee (BIP-125), and it is of version 0', () => {
    const { psbt } = buildPayout(request({}))
    expect(parsed(psbt).getInput(0).sequence).toBe(0xffff_fffd)
    expect(base64.decode(psbt).subarray(0, 5)).toEqual(hexToBytes('70736274ff'))
    expect(parsed(psbt).opts.PSBTVersion).toBe(0)
  })

  test('[K-02] few and large outputs are spent; the same ones whatever their order', () => {
    const unspent = [50_000n, 300_000n, 900_000n, 10_000n, 300_000n].map(unspentOf)
    const payments = [{ address: payee(0), satoshi: 1_000_000n }]
    const payout = buildPayout(request({ unspent, payments }))
    expect(payout.inputs.map(({ satoshi }) => satoshi)).toEqual([900_000n, 300_000n])
    expect(buildPayout(request({ unspent: unspent.toReversed(), payments }))).toEqual(payout)
  })

  test('[K-02] an output that costs more to spend than it holds is not spent', () => {
    const unspent = [
      unspentOf(100_000n, 0),
      ...Array.from({ length: 9 }, (_, at) => unspentOf(34_000n, at + 1)),
    ]
    const payments = [{ address: payee(0), satoshi: 60_000n }]
    expect(() => buildPayout(request({ unspent, payments, feeRate: 500 }))).toThrow(
      expect.objectContaining({
        message: '0.00060000 BTC and a fee of about 0.00055000 BTC are needed; 0.00100000 BTC can be spent.',
      }),
    )
  })

  test('[K-02] change that is dust, or costs more than it is, goes to the fee', () => {
    const left = (rest: bigint, feeRate = 1) => {
      const withoutChange = 4n + 1n + 1n + 4n + 31n
      const fee = BigInt(Math.ceil((Number(withoutChange) * 4 + 2 + 272) / 4) * feeRate)
      const satoshi = 1_000_000n - fee - rest
      return buildPayout(request({ payments: [{ address: payee(0), satoshi }], feeRate }))
    }
    expect(left(0n)).toMatchObject({ change: null, feeSatoshi: 110n, vsize: 110 })
    // An output of 31 virtual bytes, which is dust below 294 satoshi.
    expect(left(31n + 293n)).toMatchObject({ change: null, feeSatoshi: 110n + 324n })
    expect(left(31n + 294n)).toMatchObject({ change: { satoshi: 294n }, feeSatoshi: 141n, vsize: 141 })
    // At 100 satoshi per virtual byte, spending it would cost 6,800.
    expect(left(3_100n + 6_800n, 100)).toMatchObject({ change: null })
    expect(left(3_100n + 6_801n, 100)).toMatchObject({ change: { satoshi: 6_801n } })
  })

  test('[K-02] an impossible payment is refused in words with amounts', () => {
    const refusal = (changes: Partial<PayoutRequest>) => {
      try {
        buildPayout(request(changes))
        return 'none'
      } catch (error) {
        if (error instanceof AppError) return error.message
        throw error
      }
    }
    const to = (address: string, satoshi = 400_000n) => ({ payments: [{ address, satoshi }] })
    expect(refusal({ payments: [] })).toBe('There is nothing to pay.')
    expect(refusal({ unspent: [] })).toBe(
      '0.00400000 BTC and a fee of about 0.00001100 BTC are needed; 0.00000000 BTC can be spent.',
    )
    expect(refusal(to(payee(0), 999_000n))).toBe(
      '0.00999000 BTC and a fee of about 0.00001100 BTC are needed; 0.01000000 BTC can be spent.',
    )
    expect(refusal(to(payee(0), 293n))).toBe(
      `0.00000293 BTC to ${payee(0)} is too small: the network relays 0.00000294 BTC or more.`,
    )
    expect(refusal(to(payee(0), 294n))).toBe('none')
    expect(refusal(to('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'))).toBe(
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu is not an address of Litecoin regtest.',
    )
    const main = bitcoinAccount(
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
      bitcoinNetworks.main,
    )
    for (const address of ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'bc1pfeessrawgf']) {
      expect(refusal({ account: main, ...to(address) })).toBe(
        `${address} is of a type that cannot receive coins safely yet.`,
      )
    }
    // P2PKH and P2SH have a higher dust limit.
    expect(refusal({ account: main, ...to('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 545n) })).toContain(
      '0.00000546 BTC or more',
    )
    expect(refusal({ account: main, ...to('3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 539n) })).toContain(
      '0.00000540 BTC or more',
    )
    const unspent = Array.from({ length: 150 }, (_, at) => unspentOf(10_000n, at))
    expect(refusal({ unspent, ...to(payee(0), 1_200_000n), feeRate: 1 })).toBe(
      'Paying 0.01200000 BTC takes more than 20 inputs, which hold 0.00200000 BTC together. Pay fewer withdrawals at once, or first consolidate your coins at one address.',
    )
    for (const feeRate of [0, 1.5, 501, Number.NaN]) expect(() => refusal({ feeRate })).toThrow(RangeError)
  })

  test('[K-02] inputs always equal outputs plus fee, and a signer accepts the PSBT', () => {
    const coin = fc.bigInt({ min: 300n, max: 5_000_000n })
    const arbitrary = fc.record({
      script: fc.constantFrom('wpkh' as const, 'tr' as const),
      coins: fc.array(coin, { maxLength: 12 }),
      payments: fc.array(coin, { minLength: 1, maxLength: 5 }),
      feeRate: fc.integer({ min: 1, max: 100 }),
    })
    fc.assert(
      fc.property(arbitrary, ({ script, coins, payments, feeRate }) => {
        const unspent = coins.map(unspentOf)
        const asked = payments.map((satoshi, at) => ({ address: payee(at), satoshi }))
        const due = sum(asked)
        try {
          const payout = buildPayout(
            request({ account: accounts[script], unspent, payments: asked, feeRate }),
          )
          const transaction = parsed(payout.psbt)
          const out = Array.from(
            { length: transaction.outputsLength },
            (_, at) => transaction.getOutput(at).amount!,
          )
          expect(out.slice(0, asked.length)).toEqual(payments)
          expect(out.slice(asked.length)).toEqual(payout.change ? [payout.change.satoshi] : [])
          expect(sum(payout.inputs)).toBe(due + (payout.change?.satoshi ?? 0n) + payout.feeSatoshi)
          const held = new Map(
            unspent.map(each => [outpointOf(each.transactionId, each.position), each.satoshi]),
          )
          for (const { outpoint, satoshi } of payout.inputs) expect(held.get(outpoint)).toBe(satoshi)
          expect(new Set(payout.inputs.map(({ outpoint }) => outpoint)).size).toBe(payout.inputs.length)
          expect(payout.inputs.length).toBeLessThanOrEqual(mostInputs)
          const done = finalPsbt(payout.psbt)
          expect(done.id).toBe(payout.transactionId)
          expect(done.fee).toBe(payout.feeSatoshi)
          expect(done.vsize).toBeLessThanOrEqual(payout.vsize)
          expect(payout.feeSatoshi).toBeGreaterThanOrEqual(BigInt(done.vsize * feeRate))
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          // Refused only if the amount really does not suffice, with the cost of spending each output.
          const spending = BigInt(feeRate * 68)
          const worth = coins.filter(satoshi => satoshi > spending)
          const least = BigInt(feeRate * (10 + 31 * asked.length))
          const available = worth.reduce((total, satoshi) => total + satoshi - BigInt(feeRate * 57), 0n)
          expect(available).toBeLessThan(
            due + least + BigInt(feeRate * 11 * worth.length) + BigInt(feeRate * 14 * asked.length),
          )
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe.skipIf(withoutLitecoind)('a payout on a real network', () => {
  test.each(['wpkh', 'tr'] as const)(
    '[K-02] %s: signed offline it is accepted, mined, and recognised by its id and inputs',
    async script => {
      const node = await startLitecoind()
      atEnd(node.remove)
      const account = accounts[script]
      const chain = coreChain(node.url, { network, confirmations: 2 })
      const [first, second] = [addressAt(account, 0, 0), addressAt(account, 0, 1)]
      await node.pay({ address: first, satoshi: 70_000_000n }, { address: second, satoshi: 29_000_001n })
      await node.mine()
      const to = await node.call<number>('getblockcount')
      const addresses = new Set([first, second])
      const { transfers } = await chain.scan(
        { from: to, to },
        { addresses, outpoints: new Set(), senders: new Set() },
      )
      const unspent = transfers.map(({ transactionId, position, units, address }) => ({
        transactionId,
        position,
        satoshi: units,
        branch: 0,
        addressIndex: address === first ? 0 : 1,
      }))
      const payments = [
        { address: await node.call<string>('getnewaddress', '', 'bech32'), satoshi: 60_000_000n },
        { address: await node.call<string>('getnewaddress', '', 'legacy'), satoshi: 12_345_678n },
        { address: await node.call<string>('getnewaddress', '', 'p2sh-segwit'), satoshi: 10_000_019n },
      ]
      const payout = buildPayout({ account, unspent, payments, changeIndex: 0, feeRate: 12 })
      expect(payout.inputs).toHaveLength(2)
      const { vsize, hex } = finalPsbt(payout.psbt)
      expect(await node.call('sendrawtransaction', hex)).toBe(payout.transactionId)
      const entry = await node.call<{ vsize: number; fees: { base: number } }>(
        'getmempoolentry',
        payout.transactionId,
      )
      expect(entry.vsize).toBe(vsize)
      expect(BigInt(Math.round(entry.fees.base * 1e8))).toBe(payout.feeSatoshi)
      const outpoints = payout.inputs.map(({ outpoint }) => outpoint)
      const seen = await chain.pending({
        addresses: new Set([payout.change!.address]),
        outpoints: new Set(outpoints),
        senders: new Set(),
      })
      expect(seen.spends.map(({ slot }) => slot)).toEqual(outpoints)
      expect(seen.transfers).toMatchObject([
        { transactionId: payout.transactionId, units: payout.change!.satoshi, from: outpoints },
      ])
      await node.mine()
      for (const { address, satoshi } of payments) {
        const received = await node.call<number>('getreceivedbyaddress', address, 1)
        expect(BigInt(Math.round(received * 1e8))).toBe(satoshi)
      }
      expect(await chain.balances([first, second])).toEqual(new Map([['BTC', 0n]]))
      expect(await chain.balances([payout.change!.address])).toEqual(
        new Map([['BTC', payout.change!.satoshi]]),
      )
    },
  )
})
