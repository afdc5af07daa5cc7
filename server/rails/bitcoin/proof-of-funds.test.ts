import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { p2tr, p2wpkh, Transaction } from '@scure/btc-signer'
import type { Signer } from '@scure/btc-signer/transaction.js'
import { expect, test } from 'vitest'
import type { UnspentOutput } from '#server/rails/chain.ts'
import { verifyBitcoinMessage } from '#verifier/bitcoin-message.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { addressAt, addressOfScript, bitcoinAccount } from './addresses.ts'
import { bitcoinNetworks } from './networks.ts'
import { proofOfFunds } from './proof-of-funds.ts'

const network = bitcoinNetworks.main
const keys = [1, 2].map(byte => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]
const scripts = [
  p2wpkh(secp256k1.getPublicKey(keys[0])).script,
  p2tr(schnorr.getPublicKey(keys[1])).script,
] as const
const outputs = scripts.map((script, at): UnspentOutput => {
  const address = addressOfScript(script, network)!
  return { address, transactionId: `${at + 1}`.repeat(64), position: at, satoshi: BigInt(at + 1) * 1000n }
}) as [UnspentOutput, UnspentOutput]
const message = `Probity reserves v1 ${'x'.repeat(300)}`

function signed(): string {
  const transaction = Transaction.fromPSBT(proofOfFunds(message, outputs, network), {
    allowUnknownOutputs: true,
  })
  // A wallet knows the key behind its own output.
  transaction.updateInput(2, { tapInternalKey: schnorr.getPublicKey(keys[1]) })
  for (const key of keys) transaction.sign(key)
  transaction.finalize()
  return `pof${Buffer.from(transaction.toPSBT(0)).toString('base64')}`
}

test('a signed PSBT proves the coins of several addresses, for this message alone', () => {
  const { address } = outputs[0]
  const signature = signed()
  const coins = verifyBitcoinMessage(nodeHashes, { address, message, signature })
  expect(coins.map(({ outpoint, amount }) => [outpoint, amount])).toEqual([
    [`${'1'.repeat(64)}:0`, 1000n],
    [`${'2'.repeat(64)}:1`, 2000n],
  ])
  for (const other of [
    { address, message: `${message}.`, signature },
    { address: outputs[1].address, message, signature },
  ])
    expect(() => verifyBitcoinMessage(nodeHashes, other)).toThrow(/another message or address/)
})

test('the PSBT says which message it signs (BIP-322)', () => {
  const psbt = Buffer.from(proofOfFunds(message, outputs, network))
  const at = psbt.indexOf(message)
  expect(psbt.subarray(at - 5, at - 3)).toEqual(Buffer.of(1, 0x09))
  expect(psbt.readUInt16LE(at - 2)).toBe(message.length)
})

test.each([84, 86])('a device finds its keys by the paths of an account %ih', purpose => {
  const root = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))
  const key = root.derive(`m/${purpose}'/0'/0'`).publicExtendedKey
  const origin = `${root.fingerprint.toString(16).padStart(8, '0')}/${purpose}h/0h/0h`
  const account = bitcoinAccount(`${purpose === 84 ? 'wpkh' : 'tr'}([${origin}]${key}/<0;1>/*)`, network)
  const places = new Map([3, 4].map(index => [addressAt(account, 1, index), { branch: 1, index }]))
  const own = [...places.keys()].map((address, at): UnspentOutput => {
    return { address, transactionId: `${at + 1}`.repeat(64), position: at, satoshi: 1000n }
  }) as [UnspentOutput, UnspentOutput]
  const psbt = proofOfFunds(message, own, network, { account, places })
  const transaction = Transaction.fromPSBT(psbt, { allowUnknownOutputs: true })
  expect(transaction.sign(root as unknown as Signer)).toBe(3)
  transaction.finalize()
  const signature = `pof${Buffer.from(transaction.toPSBT(0)).toString('base64')}`
  expect(verifyBitcoinMessage(nodeHashes, { address: own[0].address, message, signature })).toHaveLength(2)
})
