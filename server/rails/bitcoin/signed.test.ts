import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { SigHash, Transaction, WIF } from '@scure/btc-signer'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import {
  accountOf,
  finalPsbt,
  otherAccount,
  signPsbt,
  walletNetwork,
  walletRoot,
} from '#test/support/bitcoin-wallet.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import vectors from '#test/support/psbt-vectors.json' with { type: 'json' }
import { addressAt } from './addresses.ts'
import { coreChain } from './core.ts'
import { bitcoinNetworks } from './networks.ts'
import type { Unspent } from './outputs.ts'
import { buildCancellation, buildPayout, buildReplacement, type Payout } from './psbt.ts'
import { readSigned } from './signed.ts'

const accounts = { wpkh: accountOf('wpkh'), tr: accountOf('tr') }
const unspent: Unspent[] = [900_000n, 800_000n].map((satoshi, at) => ({
  transactionId: `${at + 1}`.repeat(64),
  position: at,
  satoshi,
  branch: at,
  addressIndex: at + 4,
}))
const payees = [addressAt(otherAccount, 0, 0), addressAt(otherAccount, 0, 1)] as const
const request = (script: 'wpkh' | 'tr' = 'wpkh') => ({
  account: accounts[script],
  unspent,
  payments: [
    { address: payees[0], satoshi: 1_200_000n },
    { address: payees[1], satoshi: 100_000n },
  ],
  changeIndex: 3,
  feeRate: 10,
})
const planOf = ({ psbt }: Payout) => base64.decode(psbt)
const read = (plan: Uint8Array, file: Uint8Array | string) => readSigned([plan], [null], file, walletNetwork)
const refusalOf = (plans: readonly Uint8Array[], file: Uint8Array | string): string => {
  try {
    readSigned(plans, [], file, walletNetwork)
    return 'none'
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
/** What a device that answers with little else returns. */
function signaturesOnly(signed: Transaction): Transaction {
  const bare = new Transaction({ version: signed.version })
  const inputs = Array.from({ length: signed.inputsLength }, (_, at) => signed.getInput(at))
  for (const { txid, index, sequence } of inputs)
    bare.addInput({ txid: txid!, index: index!, sequence: sequence! })
  for (let at = 0; at < signed.outputsLength; at += 1) {
    const { script, amount } = signed.getOutput(at)
    bare.addOutput({ script: script!, amount: amount! })
  }
  for (const [at, { partialSig, tapKeySig }] of inputs.entries())
    bare.updateInput(at, partialSig ? { partialSig } : { tapKeySig: tapKeySig! }, true)
  return bare
}

describe.each(['wpkh', 'tr'] as const)('a file signed for %s', script => {
  const payout = buildPayout(request(script))
  const plan = planOf(payout)

  test('[S-04] is read in every form in which wallets save it', () => {
    const [signed, final] = [signPsbt(plan), finalPsbt(plan)]
    const psbt = signed.toPSBT(0)
    const forms: (Uint8Array | string)[] = [
      psbt,
      base64.encode(psbt),
      ` ${base64.encode(psbt).replaceAll(/(.{64})/g, '$1\r\n')}\n`,
      new TextEncoder().encode(base64.encode(psbt)),
      bytesToHex(psbt),
      signed.toPSBT(2),
      signaturesOnly(signed).toPSBT(0),
      final.toPSBT(0),
      final.extract(),
      bytesToHex(final.extract()),
      new TextEncoder().encode(`${bytesToHex(final.extract()).toUpperCase()}\n`),
    ]
    for (const [at, form] of forms.entries()) {
      const complete = read(plan, form)
      expect(complete, `form ${at}`).toMatchObject({
        ...{ plan: 0, kind: 'complete', transactionId: payout.transactionId, feeSatoshi: payout.feeSatoshi },
      })
      const { raw, vsize } = complete as Extract<typeof complete, { kind: 'complete' }>
      const sent = Transaction.fromRaw(raw)
      expect([sent.id, sent.vsize]).toEqual([payout.transactionId, vsize])
    }
  })

  test('[S-04] is the one plan that was signed, of a payout, its fee bump and its cancellation', () => {
    const replacing = { ...request(script), feeRate: 20 }
    const bumped = planOf(buildReplacement({ ...replacing, plans: [plan] }))
    const plans = [plan, bumped, planOf(buildCancellation({ ...replacing, plans: [plan, bumped] }))]
    for (const [at, each] of plans.entries())
      expect(readSigned(plans, [null, null, null], signPsbt(each).toPSBT(0), walletNetwork)).toMatchObject({
        ...{ plan: at, kind: 'complete', transactionId: Transaction.fromPSBT(each).id },
      })
  })

  test('[S-04] without all of its signatures it is refused', () => {
    expect(refusalOf([plan], plan)).toMatch(/^This file has no signature/)
    expect(refusalOf([plan], Transaction.fromPSBT(plan).unsignedTx)).toMatch(/^This file has no signature/)
    const half = Transaction.fromPSBT(plan)
    const key = walletRoot.derive(`m/${script === 'wpkh' ? 84 : 86}'/1'/0'/0/4`)
    half.signIdx(key.privateKey!, 0)
    expect(refusalOf([plan], half.toPSBT(0))).toMatch(/^1 of 2 inputs are signed/)
  })

  test('[S-04] a signature that is altered, or for something else, is refused by its input', () => {
    const field = script === 'wpkh' ? 'partialSig' : 'tapKeySig'
    const altered = Uint8Array.from(finalPsbt(plan).extract())
    const { finalScriptWitness } = Transaction.fromRaw(altered).getInput(1)
    const at = Buffer.from(altered).indexOf(finalScriptWitness![0]!)
    altered[at + 20]! ^= 1
    expect(refusalOf([plan], altered)).toMatch(/^The signature of input 2 is not valid/)
    // Valid for other amounts, which the wallet was told.
    const lied = Transaction.fromPSBT(plan)
    const { script: own } = lied.getInput(1).witnessUtxo!
    lied.updateInput(1, { witnessUtxo: { script: own, amount: 800_001n } })
    expect(refusalOf([plan], signPsbt(lied.toPSBT(0)).toPSBT(0))).toMatch(
      /^The signature of input \d is not valid/,
    )
    expect(signPsbt(plan).getInput(0)[field]).toBeDefined()
  })

  const finalised = (signed: Transaction) => {
    const final = signed.clone()
    final.finalize()
    return final.extract()
  }

  test.each([SigHash.NONE, SigHash.SINGLE, SigHash.ALL_ANYONECANPAY])(
    '[S-04] one that does not sign everything is refused: sighash %i',
    sighash => {
      const loose = Transaction.fromPSBT(plan)
      for (const [at, path] of ['0/4', '1/5'].entries()) {
        loose.updateInput(at, { sighashType: sighash })
        const key = walletRoot.derive(`m/${script === 'wpkh' ? 84 : 86}'/1'/0'/${path}`)
        loose.signIdx(key.privateKey!, at, [sighash])
      }
      for (const file of [loose.toPSBT(0), finalised(loose)])
        expect(refusalOf([plan], file)).toMatch(
          /^The signature of input 1 does not cover the whole transaction/,
        )
    },
  )
})

describe('another transaction', () => {
  const plan = planOf(buildPayout(request()))
  const differing = (changes: Partial<ReturnType<typeof request>>) =>
    refusalOf([plan], signPsbt(planOf(buildPayout({ ...request(), ...changes }))).toPSBT(0))
  const [first, second] = request().payments as [
    { address: string; satoshi: bigint },
    { address: string; satoshi: bigint },
  ]

  test('[S-04] is refused by what it pays otherwise', () => {
    expect(differing({ payments: [{ ...first, satoshi: 1_100_000n }, second] })).toBe(
      `This transaction pays 0.01100000 BTC to ${payees[0]}; the batch pays 0.01200000 BTC.`,
    )
    expect(differing({ payments: [first] })).toBe(
      `This transaction pays nothing to ${payees[1]}; the batch pays 0.00100000 BTC.`,
    )
    const stranger = addressAt(otherAccount, 0, 9)
    expect(differing({ payments: [first, second, { address: stranger, satoshi: 1_000n }] })).toMatch(
      /^This transaction pays 0\.\d+ BTC to \w+; the batch pays 0\.\d+ BTC\.$/,
    )
    expect(differing({ payments: [first, { ...second, address: stranger }] })).toMatch(
      `This transaction pays nothing to ${payees[1]}; the batch pays 0.00100000 BTC.`,
    )
    // A lower fee leaves more change.
    expect(differing({ feeRate: 9 })).toContain(`to ${addressAt(accounts.wpkh, 1, 3)}; the batch pays`)
  })

  test('[S-04] is refused by what it spends, or by the form of the same', () => {
    const made = (change: (transaction: Transaction) => void, opts = {}) => {
      const [from, to] = [Transaction.fromPSBT(plan), new Transaction({ version: 2, ...opts })]
      for (let at = 0; at < from.inputsLength; at += 1) to.addInput(from.getInput(at))
      for (let at = 0; at < from.outputsLength; at += 1) to.addOutput(from.getOutput(at))
      change(to)
      return refusalOf([plan], to.toPSBT(0))
    }
    const outpoint = `${'3'.repeat(64)}:7`
    const input = { txid: '3'.repeat(64), index: 7, sequence: 0 }
    expect(made(to => to.addInput(input))).toBe(
      `This transaction spends ${outpoint}, which the batch does not.`,
    )
    expect(made(to => to.updateInput(0, { index: 5 }))).toBe(
      `This transaction spends ${'1'.repeat(64)}:5, which the batch does not.`,
    )
    const form = (part: string) =>
      `This transaction pays the same, but its ${part} was changed. Sign the file of the batch as it is.`
    expect(made(to => to.updateInput(0, { sequence: 1 }))).toBe(form('sequence of an input'))
    expect(made(() => {}, { lockTime: 5 })).toBe(form('lock time'))
    expect(made(() => {}, { version: 1 })).toBe(form('version'))
    const swapped = Transaction.fromPSBT(plan)
    const turned = new Transaction({ version: 2 })
    for (const at of [0, 1]) turned.addInput(swapped.getInput(at))
    for (const at of [1, 0, 2]) turned.addOutput(swapped.getOutput(at))
    expect(refusalOf([plan], turned.toPSBT(0))).toBe(form('order of inputs or outputs'))
    const elsewhere = { ...unspent[0]!, transactionId: '4'.repeat(64), satoshi: 5_000_000n }
    expect(differing({ unspent: [elsewhere] })).toMatch(/^This is the transaction of something else/)
  })

  test('[S-04] a signature by a key that cannot spend the input is refused', () => {
    const stranger = HDKey.fromMasterSeed(new Uint8Array(32).fill(3))
    const signed = signPsbt(plan)
    signed.updateInput(
      0,
      { partialSig: [[stranger.publicKey!, signed.getInput(0).partialSig![0]![1]]] },
      true,
    )
    expect(refusalOf([plan], signed.toPSBT(0))).toBe(
      `Input 1 is signed with the key ${bytesToHex(stranger.publicKey!)}, which cannot spend it.`,
    )
  })

  test('[S-04] a signature that nodes do not relay, with a high s, is refused', () => {
    const signed = finalPsbt(plan)
    const [signature, key] = signed.getInput(0).finalScriptWitness! as [Uint8Array, Uint8Array]
    const { r, s } = secp256k1.Signature.fromBytes(signature.subarray(0, -1), 'der')
    const high = new secp256k1.Signature(r, secp256k1.Point.Fn.neg(s)).toBytes('der')
    const raw = Buffer.from(signed.extract()).toString('hex')
    const item = (bytes: Uint8Array) => bytes.length.toString(16).padStart(2, '0') + bytesToHex(bytes)
    const changed = raw.replace(item(signature), item(concatBytes(high, Uint8Array.of(1))))
    expect(changed).not.toBe(raw)
    expect(key).toHaveLength(33)
    expect(refusalOf([plan], changed)).toMatch(/^The signature of input 1 is not valid/)
  })

  test.each([
    '',
    'hello, world',
    'zz',
    'ff',
    'cHNidP8=',
    '70736274ff',
    '{"psbt":"cHNidP8"}',
    new Uint8Array(99),
  ])('[S-04] what is no transaction is refused: %s', file =>
    expect(refusalOf([plan], file)).toMatch(/^This is neither a PSBT nor a transaction/),
  )
})

describe('test vectors of PSBTs', () => {
  const plan = planOf(buildPayout(request()))
  const cases = (kind: 'valid' | 'invalid') =>
    Object.entries(vectors).flatMap(([bip, of]) =>
      of[kind].map(([name, psbt]) => [bip, name!, psbt!] as const),
    )

  test.each(cases('invalid'))('[S-04] %s, invalid and refused: %s', (_bip, _name, psbt) => {
    expect(refusalOf([plan], psbt)).toMatch(/^This is neither a PSBT nor a transaction/)
  })

  // Without an input, there is nothing to sign; scripts in inputs are of addresses that we do not have.
  const foreign = /0 inputs|First input is signed and finalized/
  test.each(cases('valid').filter(([, name]) => !foreign.test(name)))(
    '[S-04] %s, valid and read: %s',
    (_bip, _name, psbt) =>
      expect(refusalOf([plan], psbt)).toMatch(/^This is the transaction of something else/),
  )

  test("[S-04] BIP-371's key path signature completes its own unsigned PSBT", () => {
    const of = (part: string) => base64.decode(cases('valid').find(([, name]) => name.endsWith(part))![2])
    const unsigned = of('P2TR key only input with internal key and its derivation path')
    const signed = of('P2TR key only input with internal key, its derivation path, and signature')
    const complete = readSigned([unsigned], [null], signed, bitcoinNetworks.main)
    expect(complete).toMatchObject({
      plan: 0,
      kind: 'complete',
      transactionId: Transaction.fromPSBT(signed).id,
    })
  })
})

describe.skipIf(withoutLitecoind)('on a real network', () => {
  test("[S-04] the node's wallet signs our PSBT, and the node mines what was read", async () => {
    const node = await startLitecoind()
    atEnd(node.remove)
    const chain = coreChain(node.url, { network: walletNetwork, confirmations: 2 })
    const account = accounts.wpkh
    const mine = [addressAt(account, 0, 0), addressAt(account, 0, 1)]
    await node.pay(...mine.map(address => ({ address, satoshi: 50_000_000n })))
    await node.mine()
    const to = await node.call<number>('getblockcount')
    const watched = { addresses: new Set(mine), outpoints: new Set<string>(), senders: new Set<string>() }
    const { transfers, transactions } = await chain.scan({ from: to, to }, watched)
    const coins = transfers.map(({ transactionId, position, units, address }) => ({
      ...{ transactionId, position, satoshi: units, branch: 0, addressIndex: mine.indexOf(address) },
    }))
    const payments = [{ address: await node.call<string>('getnewaddress'), satoshi: 70_000_000n }]
    const payout = buildPayout({
      account,
      unspent: coins,
      payments,
      changeIndex: 0,
      feeRate: 12,
      previous: transactions!,
    })
    const plan = planOf(payout)

    await node.call('createwallet', 'device')
    const device = <Result>(method: string, params: unknown[]) =>
      walletCall<Result>(node.url, 'device', method, params)
    const wif = WIF({ bech32: '', pubKeyHash: 0, scriptHash: 0, wif: 0xef })
    for (const index of [0, 1]) {
      const key = walletRoot.derive(`m/84'/1'/0'/0/${index}`)
      await device('importprivkey', [wif.encode(key.privateKey!), '', false])
    }
    const { psbt, complete } = await device<{ psbt: string; complete: boolean }>('walletprocesspsbt', [
      payout.psbt,
    ])
    expect(complete).toBe(true)
    // With two wallets, each call would have to name its own.
    await node.call('unloadwallet', 'device')
    const signed = read(plan, psbt) as Extract<ReturnType<typeof read>, { kind: 'complete' }>
    const { hex } = await node.call<{ hex: string }>('finalizepsbt', psbt)
    expect(bytesToHex(signed.raw)).toBe(hex)
    expect(read(plan, hex)).toEqual(signed)
    expect(await chain.broadcast(signed.raw)).toEqual({ refused: null })
    await node.mine()
    const found = await chain.scan(
      { from: to + 1, to: to + 1 },
      { ...watched, outpoints: new Set(payout.inputs.map(({ outpoint }) => outpoint)) },
    )
    expect(found.spends.map(({ slot, transactionId }) => [slot, transactionId])).toEqual(
      payout.inputs.map(({ outpoint }) => [outpoint, signed.transactionId]),
    )
  })
})

/** A call to one of the node's wallets. */
async function walletCall<Result>(
  url: string,
  wallet: string,
  method: string,
  params: unknown[],
): Promise<Result> {
  const { username, password, origin } = new URL(url)
  const response = await fetch(`${origin}/wallet/${wallet}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    body: JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }),
  })
  const { result, error } = (await response.json()) as { result: Result; error: { message: string } | null }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}
