import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { accountOf, finalPsbt, otherAccount, walletNetwork } from '#test/support/bitcoin-wallet.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { addressAt, outputScript } from './addresses.ts'
import { coreChain } from './core.ts'
import type { Unspent } from './outputs.ts'
import { buildCancellation, buildPayout, buildReplacement, type Payout } from './psbt.ts'

const account = accountOf('wpkh')
const planOf = ({ psbt }: Payout) => base64.decode(psbt)
const unspentOf = (satoshi: bigint, at: number): Unspent => ({
  transactionId: (at + 1).toString(16).padStart(64, '0'),
  position: at % 3,
  satoshi,
  branch: at % 2,
  addressIndex: at % 5,
})
const payments = (satoshi: bigint[]) =>
  satoshi.map((amount, at) => ({ address: addressAt(otherAccount, 0, at), satoshi: amount }))
const outputsOf = (payout: Payout) => {
  const transaction = Transaction.fromPSBT(planOf(payout))
  return Array.from({ length: transaction.outputsLength }, (_, at) => transaction.getOutput(at))
}

describe('a replacement', () => {
  test.each(['wpkh', 'tr'] as const)(
    '[S-04] %s: pays the same from the same coins, at a fee that nodes take for it',
    script => {
      const of = accountOf(script)
      const request = { account: of, unspent: [unspentOf(1_000_000n, 0)], changeIndex: 3 }
      const first = buildPayout({ ...request, payments: payments([400_000n]), feeRate: 10 })
      const second = buildReplacement({ ...request, plans: [planOf(first)], unspent: [], feeRate: 10 })
      expect(second.inputs).toEqual(first.inputs)
      expect(second.vsize).toBe(first.vsize)
      expect(second.feeSatoshi).toBe(first.feeSatoshi + BigInt(second.vsize))
      expect(second.change!.address).toBe(first.change!.address)
      expect(outputsOf(second)[0]).toEqual(outputsOf(first)[0])
      expect(second.transactionId).not.toBe(first.transactionId)
      const fast = buildReplacement({ ...request, plans: [planOf(first)], unspent: [], feeRate: 40 })
      expect(fast.feeSatoshi).toBe(40n * BigInt(fast.vsize))
      expect(finalPsbt(fast.psbt).fee).toBe(fast.feeSatoshi)
    },
  )

  test('[S-04] it outbids the dearest plan of its slot, and adds coins if needed', () => {
    const request = { account, changeIndex: 3 }
    const first = buildPayout({
      ...request,
      unspent: [unspentOf(405_000n, 0)],
      payments: payments([400_000n]),
      feeRate: 5,
    })
    const unspent = [unspentOf(405_000n, 0), unspentOf(70_000n, 1)]
    const second = buildReplacement({ ...request, plans: [planOf(first)], unspent, feeRate: 100 })
    expect(second.inputs.map(({ satoshi }) => satoshi)).toEqual([405_000n, 70_000n])
    const third = buildReplacement({
      ...request,
      plans: [planOf(first), planOf(second)],
      unspent: [],
      feeRate: 1,
    })
    expect(third.inputs).toEqual(second.inputs)
    expect(third.feeSatoshi).toBeGreaterThanOrEqual(second.feeSatoshi + BigInt(third.vsize))
    const refused = () => buildReplacement({ ...request, plans: [planOf(first)], unspent: [], feeRate: 100 })
    expect(refused).toThrow(expect.objectContaining({ reason: 'insufficient_outputs' }))
  })

  test('[S-04] a P2WPKH input keeps the transaction that it spends', () => {
    const paid = new Transaction()
    paid.addInput({ txid: hexToBytes('ab'.repeat(32)), index: 1 })
    paid.addOutput({ script: outputScript(account, 0, 0), amount: 1_000_000n })
    const coin = { ...unspentOf(1_000_000n, 0), transactionId: paid.id, branch: 0 }
    const previous = new Map([[paid.id, paid.unsignedTx]])
    const request = { account, unspent: [coin], changeIndex: 3, feeRate: 10 }
    const first = buildPayout({ ...request, payments: payments([400_000n]), previous })
    const second = buildReplacement({ ...request, plans: [planOf(first)] })
    expect(bytesToHex(Transaction.fromPSBT(planOf(second)).getInput(0).txid!)).toBe(paid.id)
    expect(Transaction.fromPSBT(planOf(second)).getInput(0).nonWitnessUtxo).toEqual(
      Transaction.fromPSBT(planOf(first)).getInput(0).nonWitnessUtxo,
    )
  })

  test('[S-04] its fee is above the other by fee, by rate and by the cost of relaying it', () => {
    const coin = fc.bigInt({ min: 20_000n, max: 5_000_000n })
    const arbitrary = fc.record({
      script: fc.constantFrom('wpkh' as const, 'tr' as const),
      coins: fc.array(coin, { minLength: 1, maxLength: 6 }),
      amounts: fc.array(coin, { minLength: 1, maxLength: 4 }),
      rates: fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 300 })),
      cancel: fc.boolean(),
    })
    const built = { replaced: 0, refused: 0 }
    fc.assert(
      fc.property(arbitrary, ({ script, coins, amounts, rates: [before, now], cancel }) => {
        const of = accountOf(script)
        const unspent = coins.map(unspentOf)
        try {
          const first = buildPayout({
            account: of,
            unspent,
            payments: payments(amounts),
            changeIndex: 1,
            feeRate: before,
          })
          const build = cancel ? buildCancellation : buildReplacement
          const request = { account: of, unspent, changeIndex: 2, feeRate: now }
          const second = build({ ...request, plans: [planOf(first)] })
          const [old, done] = [finalPsbt(first.psbt), finalPsbt(second.psbt)]
          const spent = second.inputs.map(({ outpoint }) => outpoint)
          for (const { outpoint } of first.inputs) expect(spent).toContain(outpoint)
          expect(done.fee).toBe(second.feeSatoshi)
          expect(done.fee).toBeGreaterThanOrEqual(old.fee + BigInt(done.vsize))
          expect(done.fee * BigInt(old.vsize)).toBeGreaterThan(old.fee * BigInt(done.vsize))
          expect(done.fee).toBeGreaterThanOrEqual(BigInt(now * done.vsize))
          const paid = outputsOf(second).slice(0, cancel ? 0 : amounts.length)
          expect(paid.map(({ amount }) => amount)).toEqual(cancel ? [] : amounts)
          expect(outputsOf(second).length - paid.length).toBe(second.change ? 1 : 0)
          if (cancel) expect(second.change).not.toBeNull()
          built.replaced += 1
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          built.refused += 1
        }
      }),
      { numRuns: 150 },
    )
    expect(built.replaced).toBeGreaterThan(20)
  })
})

describe('a cancellation', () => {
  test('[S-04] brings all coins back to the change address', () => {
    const request = { account, unspent: [600_000n, 500_000n].map(unspentOf), changeIndex: 3, feeRate: 10 }
    const first = buildPayout({ ...request, payments: payments([700_000n, 200_000n]) })
    const back = buildCancellation({ ...request, changeIndex: 4, plans: [planOf(first)], unspent: [] })
    expect(back.inputs).toEqual(first.inputs)
    expect(outputsOf(back)).toHaveLength(1)
    expect(outputsOf(back)[0]!.script).toEqual(outputScript(account, 1, 4))
    expect(back.change).toEqual({
      address: addressAt(account, 1, 4),
      addressIndex: 4,
      satoshi: 1_100_000n - back.feeSatoshi,
    })
    expect(back.feeSatoshi).toBeGreaterThanOrEqual(first.feeSatoshi + BigInt(back.vsize))
  })

  test('[S-04] one that would leave nothing is refused with its fee', () => {
    const request = { account, unspent: [unspentOf(60_000n, 0)], changeIndex: 3 }
    const first = buildPayout({ ...request, payments: payments([20_000n]), feeRate: 100 })
    const refused = () => buildCancellation({ ...request, plans: [planOf(first)], unspent: [], feeRate: 500 })
    expect(refused).toThrow(
      'Cancelling takes a fee of about 0.00055000 BTC, which leaves nothing of the 0.00060000 BTC that this batch spends.',
    )
  })
})

describe.skipIf(withoutLitecoind)('on a real network', () => {
  test.each(['wpkh', 'tr'] as const)(
    '[S-04] %s: the node takes a fee bump, then a cancellation, in place of a payout',
    async script => {
      const node = await startLitecoind()
      atEnd(node.remove)
      const of = accountOf(script)
      const chain = coreChain(node.url, { network: walletNetwork, confirmations: 2 })
      const mine = [addressAt(of, 0, 0), addressAt(of, 0, 1)]
      await node.pay(...mine.map(address => ({ address, satoshi: 50_000_000n })))
      await node.mine()
      const to = await node.call<number>('getblockcount')
      const watched = { addresses: new Set(mine), outpoints: new Set<string>(), senders: new Set<string>() }
      const { transfers, transactions } = await chain.scan({ from: to, to }, watched)
      const unspent = transfers.map(({ transactionId, position, units, address }) => ({
        ...{ transactionId, position, satoshi: units, branch: 0, addressIndex: mine.indexOf(address) },
      }))
      const payee = await node.call<string>('getnewaddress')
      const request = { account: of, unspent, changeIndex: 0, previous: transactions! }
      const send = async (payout: Payout) => {
        const raw = finalPsbt(payout.psbt).extract()
        expect(await chain.broadcast(raw)).toEqual({ refused: null })
        expect(await node.call('getrawmempool')).toEqual([payout.transactionId])
        return planOf(payout)
      }
      const first = await send(
        buildPayout({ ...request, payments: [{ address: payee, satoshi: 40_000_000n }], feeRate: 12 }),
      )
      const second = await send(buildReplacement({ ...request, plans: [first], feeRate: 12 }))
      // Both coins, so that it is larger; at a lower rate than is needed.
      const both = buildCancellation({ ...request, plans: [first, second], feeRate: 1 })
      const cancelled = await send(both)
      expect(await chain.broadcast(finalPsbt(second).extract())).toEqual({
        refused: expect.stringMatching(/^insufficient fee/),
      })
      const again = buildCancellation({ ...request, plans: [first, second, cancelled], feeRate: 30 })
      await send(again)
      await node.mine()
      expect(await node.call('getreceivedbyaddress', payee)).toBe(0)
      const { spends } = await chain.scan(
        { from: to + 1, to: to + 1 },
        { ...watched, outpoints: new Set(again.inputs.map(({ outpoint }) => outpoint)) },
      )
      expect(spends).toMatchObject(
        again.inputs.map(({ outpoint }) => ({ slot: outpoint, transactionId: again.transactionId })),
      )
    },
  )
})
