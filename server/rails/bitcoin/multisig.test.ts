import { base64 } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { AccountKeyError, descriptorChecksum } from '#server/rails/hd.ts'
import { AppError } from '#shared/errors.ts'
import { finalPsbt, signPsbt, walletNetwork } from '#test/support/bitcoin-wallet.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { addressAt, bitcoinAccount } from './addresses.ts'
import { coreChain } from './core.ts'
import { bitcoinNetworks } from './networks.ts'
import { buildCancellation, buildPayout, buildReplacement } from './psbt.ts'
import { readSigned } from './signed.ts'

const versions = { public: 0x04_35_87_cf, private: 0x04_35_83_94 }
const signers = [1, 2, 3].map(fill => HDKey.fromMasterSeed(new Uint8Array(32).fill(fill), versions)) as [
  HDKey,
  HDKey,
  HDKey,
]
const signerOf = (root: HDKey) =>
  `[${root.fingerprint.toString(16).padStart(8, '0')}/48h/1h/0h/2h]${root.derive("m/48'/1'/0'/2'").publicExtendedKey}/<0;1>/*`
const withChecksum = (body: string) => `${body}#${descriptorChecksum(body)}`
const sharedBy = (k: number, roots: readonly HDKey[]) =>
  withChecksum(`wsh(sortedmulti(${k},${roots.map(signerOf).join(',')}))`)
const account = bitcoinAccount(sharedBy(2, signers), walletNetwork)
const request = {
  account,
  unspent: [700_000n, 600_000n].map((satoshi, at) => ({
    ...{ transactionId: `${at + 1}`.repeat(64), position: at, satoshi, branch: at, addressIndex: at + 4 },
  })),
  payments: [{ address: addressAt(account, 0, 9), satoshi: 900_000n }],
  changeIndex: 3,
  feeRate: 10,
}

describe('an account of several signers', () => {
  test('[K-02] has the same addresses and name in any order of its keys', () => {
    const turned = bitcoinAccount(sharedBy(2, signers.toReversed()), walletNetwork)
    expect([addressAt(turned, 1, 7), turned.name]).toEqual([addressAt(account, 1, 7), account.name])
    const one = bitcoinAccount(sharedBy(1, signers), walletNetwork)
    expect(one.name).not.toBe(account.name)
    expect(addressAt(one, 1, 7)).not.toBe(addressAt(account, 1, 7))
    expect(addressAt(account, 0, 0)).toMatch(/^rltc1q.{58}$/)
  })

  test('[K-02] the configuration takes its descriptor, and names the network it is of', () => {
    const environment = { TOKEN_SECRET: 'x'.repeat(32), BITCOIN_XPUB: sharedBy(2, signers) }
    expect(loadConfig(environment).rails.bitcoin.xpub).toBe(environment.BITCOIN_XPUB)
    const live = {
      ...environment,
      MODE: 'live',
      BITCOIN_XPUB: environment.BITCOIN_XPUB.replace('multi(2', 'multi(1'),
    }
    expect(() => loadConfig(live)).toThrow(/BITCOIN_XPUB: has a wrong checksum/)
    expect(() => loadConfig({ ...live, BITCOIN_XPUB: environment.BITCOIN_XPUB })).toThrow(
      /BITCOIN_XPUB: must be a key of the main network/,
    )
  })

  test('[K-02] a descriptor with each of these errors is refused', () => {
    const refusal = (
      text: string,
      network: typeof walletNetwork | typeof bitcoinNetworks.main = walletNetwork,
    ) => {
      try {
        return bitcoinAccount(text, network).name
      } catch (error) {
        if (error instanceof AccountKeyError) return error.message
        throw error
      }
    }
    const right = sharedBy(2, signers)
    const [body = ''] = right.split('#')
    const changed = (from: string | RegExp, to: string) => refusal(withChecksum(body.replace(from, to)))
    expect(refusal(right)).toBe(account.name)
    expect(refusal(body)).toMatch(/^needs its checksum/)
    expect(refusal(right.replace('multi(2', 'multi(1'))).toMatch(/^has a wrong checksum/)
    expect(refusal(right, bitcoinNetworks.main)).toMatch(/^must be an xpub or zpub/)
    expect(changed('sortedmulti', 'multi')).toMatch(/^must be wsh\(sortedmulti/)
    expect(changed('multi(2', 'multi(4')).toMatch(/^must name 2 to 15 keys/)
    expect(changed('multi(2', 'multi(0')).toMatch(/^must name 2 to 15 keys/)
    expect(refusal(sharedBy(1, signers.slice(1, 2)))).toMatch(/^must name 2 to 15 keys/)
    expect(refusal(sharedBy(2, [...signers, signers[0]]))).toBe('has the same key twice')
    expect(changed(/\[[^\]]*\]/, '')).toMatch(/^must have each key as/)
    expect(changed('48h/1h/0h/2h', '48h/1h/0h')).toMatch(/^has an origin that contradicts/)
    expect(changed('/<0;1>/*', '/5/*')).toMatch(/^must end in/)
    const secret = signers[0].derive("m/48'/1'/0'/2'")
    expect(changed(secret.publicExtendedKey, secret.privateExtendedKey)).toMatch(/^is a private key/)
  })
})

describe('a payout of several signers', () => {
  const payout = buildPayout(request)
  const plan = base64.decode(payout.psbt)
  const read = (collected: Uint8Array | null, file: Uint8Array) =>
    readSigned([plan], [collected], file, walletNetwork)

  test('[S-04] tells each device its keys and the script, of inputs and of change', () => {
    const made = Transaction.fromPSBT(plan)
    for (const { bip32Derivation, witnessScript } of [made.getInput(0), made.getOutput(1)]) {
      expect(witnessScript).toHaveLength(3 + 3 * 34)
      expect(new Set(bip32Derivation!.map(([, { fingerprint }]) => fingerprint))).toEqual(
        new Set(signers.map(({ fingerprint }) => fingerprint)),
      )
    }
    expect(made.getOutput(0).bip32Derivation).toBeUndefined()
  })

  test('[S-04] collects signatures of two people, one after the other or side by side', () => {
    const first = read(null, signPsbt(plan, signers[0]).toPSBT(0))
    expect(first).toMatchObject({ plan: 0, kind: 'partial', have: 1, needed: 2 })
    const { psbt } = first as Extract<typeof first, { kind: 'partial' }>
    const complete = {
      plan: 0,
      kind: 'complete',
      transactionId: payout.transactionId,
      feeSatoshi: payout.feeSatoshi,
    }
    // The second device gets the first one's file, or the same as the first.
    for (const given of [psbt, plan]) {
      const second = read(psbt, signPsbt(given, signers[2]).toPSBT(0))
      expect(second).toMatchObject(complete)
      const { raw, vsize } = second as Extract<typeof second, { kind: 'complete' }>
      expect(vsize).toBeLessThanOrEqual(payout.vsize)
      expect(payout.vsize - vsize).toBeLessThanOrEqual(2)
      expect(read(null, raw)).toMatchObject(complete)
    }
    expect(read(psbt, signPsbt(plan, signers[0]).toPSBT(0))).toMatchObject({ kind: 'partial', have: 1 })
  })

  test('[S-04] a stranger’s signature counts for nothing', () => {
    const stranger = HDKey.fromMasterSeed(new Uint8Array(32).fill(8), versions)
    const other = bitcoinAccount(sharedBy(2, [signers[0], signers[1], stranger]), walletNetwork)
    const theirs = Transaction.fromPSBT(base64.decode(buildPayout({ ...request, account: other }).psbt))
    theirs.sign(stranger as never)
    const forged = Transaction.fromPSBT(plan)
    forged.updateInput(0, { partialSig: theirs.getInput(0).partialSig! }, true)
    const refused = () => read(null, forged.toPSBT(0))
    expect(refused).toThrow(AppError)
    expect(refused).toThrow(/^Input 1 is signed with the key/)
  })
})

describe.skipIf(withoutLitecoind)('on a real network', () => {
  test('[S-04] two of three pay, raise the fee and cancel', async () => {
    const node = await startLitecoind()
    atEnd(node.remove)
    const chain = coreChain(node.url, { network: walletNetwork, confirmations: 2 })
    const mine = addressAt(account, 0, 0)
    const { descriptor } = await node.call<{ descriptor: string }>(
      'getdescriptorinfo',
      sharedBy(2, signers).split('#')[0]!.replaceAll('<0;1>', '0'),
    )
    // The node derives the same address from the same descriptor.
    expect(await node.call('deriveaddresses', descriptor, [0, 0])).toEqual([mine])
    await node.pay({ address: mine, satoshi: 50_000_000n })
    await node.mine()
    const to = await node.call<number>('getblockcount')
    const watched = { addresses: new Set([mine]), outpoints: new Set<string>(), senders: new Set<string>() }
    const { transfers, transactions } = await chain.scan({ from: to, to }, watched)
    const [{ transactionId, position, units }] = transfers as [(typeof transfers)[number]]
    const coin = { transactionId, position, satoshi: units, branch: 0, addressIndex: 0 }
    const payments = [{ address: await node.call<string>('getnewaddress'), satoshi: 30_000_000n }]
    const of = { account, unspent: [coin], changeIndex: 0, feeRate: 12, previous: transactions! }
    const first = base64.decode(buildPayout({ ...of, payments }).psbt)
    const second = base64.decode(buildReplacement({ ...of, plans: [first] }).psbt)
    const third = base64.decode(buildCancellation({ ...of, plans: [first, second] }).psbt)
    for (const each of [first, second, third]) {
      const half = signPsbt(each, signers[1]).toPSBT(0)
      const raw = finalPsbt(half, signers[2]).extract()
      const signed = readSigned([first, second, third], [], raw, walletNetwork)
      expect(signed.kind).toBe('complete')
      expect(await chain.broadcast(raw)).toEqual({ refused: null })
    }
    await node.mine()
    expect(await chain.balances([mine])).toEqual(new Map([['BTC', 0n]]))
  })
})
