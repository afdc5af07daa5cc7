import { pbkdf2Sync } from 'node:crypto'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import { beforeAll, describe, expect, test } from 'vitest'
import { descriptorChecksum } from '#server/rails/hd.ts'
import { electrumSharedWallet, electrumWallet, withoutElectrum } from '#test/support/electrum.ts'
import { addressAt, type BitcoinAccount, bitcoinAccount, outputScript } from './addresses.ts'
import { bitcoinNetworks } from './networks.ts'
import { buildCancellation, buildPayout, buildReplacement, type Payout } from './psbt.ts'
import { readSigned } from './signed.ts'

/** Electrum, which nobody here wrote, as the wallet that holds the keys. */

const network = bitcoinNetworks.regtest
const seed = 'pig foot alien woman unique mesh firm right target cluster acid matter'
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
type Described = { address: string; value_sats: number; bip32_paths: Record<string, [string, string]> }

/** A coin of the account, and the transaction that paid it. */
const coinOf = (account: BitcoinAccount, satoshi: bigint, index: number) => {
  const paid = new Transaction()
  paid.addInput({ txid: hexToBytes(`a${index}`.repeat(32)), index: 1 })
  paid.addOutput({ script: outputScript(account, 0, index), amount: satoshi })
  const unspent = { transactionId: paid.id, position: 0, satoshi, branch: 0, addressIndex: index }
  return { unspent, previous: [paid.id, paid.unsignedTx] as const }
}

describe.skipIf(withoutElectrum)('Electrum', () => {
  let electrum: Awaited<ReturnType<typeof electrumWallet>>
  let exported: string
  beforeAll(async () => {
    electrum = await electrumWallet(seed)
    exported = await electrum('getmpk')
  })
  /** By Electrum's own derivation from its seed. */
  const origin = () => {
    const versions = { public: 0x04_35_87_cf, private: 0x04_35_83_94 }
    const root = HDKey.fromMasterSeed(pbkdf2Sync(seed, 'electrum', 2048, 64, 'sha512'), versions)
    const fingerprint = root.fingerprint.toString(16).padStart(8, '0')
    return `wpkh([${fingerprint}/0h]${root.derive("m/0'").publicExtendedKey}/<0;1>/*)`
  }
  test.each([
    ['as it exports it', () => exported],
    ['with its origin', origin],
  ])('[K-02, S-04] signs payouts of its own key, %s', async (_form, key) => {
    const account = bitcoinAccount(key(), network)
    const addresses = JSON.parse(await electrum('listaddresses', '--receiving')) as string[]
    expect([0, 1, 2].map(index => addressAt(account, 0, index))).toEqual(addresses.slice(0, 3))
    const coins = [600_000n, 500_000n].map((satoshi, at) => coinOf(account, satoshi, at))
    const request = {
      account,
      unspent: coins.map(({ unspent }) => unspent),
      previous: new Map(coins.map(({ previous }) => previous)),
      changeIndex: 2,
      feeRate: 5,
    }
    const payout = buildPayout({ ...request, payments: [{ address: payee, satoshi: 800_000n }] })
    const plan = base64.decode(payout.psbt)
    const bumped = buildReplacement({ ...request, plans: [plan] })
    const cancelled = buildCancellation({ ...request, plans: [plan, base64.decode(bumped.psbt)] })
    const made = [payout, bumped, cancelled]

    const { inputs, outputs } = JSON.parse(await electrum('deserialize', payout.psbt)) as Record<
      string,
      Described[]
    >
    expect(inputs!.map(({ address }) => address)).toEqual(addresses.slice(0, 2))
    expect(outputs!.map(({ address, value_sats }) => [address, value_sats])).toEqual([
      [payee, 800_000],
      [payout.change!.address, Number(payout.change!.satoshi)],
    ])
    expect(await electrum('ismine', payout.change!.address)).toBe('true')

    for (const [at, each] of made.entries()) expect(await signedBy(each)).toMatchObject({ plan: at })
    async function signedBy(each: Payout) {
      const signed = await electrum('signtransaction', each.psbt)
      const read = readSigned(
        made.map(({ psbt }) => base64.decode(psbt)),
        [],
        signed,
        network,
      )
      expect(read).toMatchObject({
        kind: 'complete',
        transactionId: each.transactionId,
        feeSatoshi: each.feeSatoshi,
      })
      expect(bytesToHex((read as Extract<typeof read, { kind: 'complete' }>).raw)).toBe(signed)
      return read
    }
  })

  test('[K-02, S-04] two of its wallets sign for an account of both', async () => {
    const path = "m/48'/1'/0'/2'"
    // SLIP-132 for P2WSH, as Electrum reads the keys of shared wallets.
    const shared = { public: 0x02_57_54_83, private: 0x02_57_50_48 }
    const plain = { public: 0x04_35_87_cf, private: 0x04_35_83_94 }
    const signers = [1, 2].map(fill => {
      const seedBytes = new Uint8Array(32).fill(fill)
      const key = HDKey.fromMasterSeed(seedBytes, shared).derive(path)
      const root = HDKey.fromMasterSeed(seedBytes, plain)
      const root_fingerprint = root.fingerprint.toString(16).padStart(8, '0')
      const described = `[${root_fingerprint}/48h/1h/0h/2h]${root.derive(path).publicExtendedKey}/<0;1>/*`
      return { key, root_fingerprint, described }
    })
    const walletOf = (own: number) =>
      electrumSharedWallet(
        2,
        signers.map(({ key, root_fingerprint }, at) => ({
          xpub: key.publicExtendedKey,
          xprv: at === own ? key.privateExtendedKey : null,
          derivation: path,
          root_fingerprint,
        })),
      )
    const [first, second] = [walletOf(0), walletOf(1)]
    const body = `wsh(sortedmulti(2,${signers.map(({ described }) => described).join(',')}))`
    const account = bitcoinAccount(`${body}#${descriptorChecksum(body)}`, network)
    expect(JSON.parse(await first('listaddresses', '--receiving'))[0]).toBe(addressAt(account, 0, 0))

    const coin = coinOf(account, 900_000n, 0)
    const request = {
      account,
      unspent: [coin.unspent],
      previous: new Map([coin.previous]),
      changeIndex: 1,
      feeRate: 5,
    }
    const payout = buildPayout({ ...request, payments: [{ address: payee, satoshi: 500_000n }] })
    const plans = [base64.decode(payout.psbt)]
    expect(await second('ismine', payout.change!.address)).toBe('true')
    const half = readSigned(plans, [], await first('signtransaction', payout.psbt), network)
    expect(half).toMatchObject({ kind: 'partial', have: 1, needed: 2 })
    const { psbt } = half as Extract<typeof half, { kind: 'partial' }>
    const complete = { kind: 'complete', transactionId: payout.transactionId, feeSatoshi: payout.feeSatoshi }
    // After the first, or at the same time.
    for (const given of [base64.encode(psbt), payout.psbt])
      expect(readSigned(plans, [psbt], await second('signtransaction', given), network)).toMatchObject(
        complete,
      )
  })
})
