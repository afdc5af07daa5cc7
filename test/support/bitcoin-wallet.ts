import { base64 } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import type { Signer } from '@scure/btc-signer/transaction.js'
import { type BitcoinAccount, bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'

/** An offline wallet of the private network: it knows its root key alone, and signs by what a PSBT says. */
export const walletNetwork = bitcoinNetworks['litecoin-regtest']
const versions = { public: 0x04_35_87_cf, private: 0x04_35_83_94 }
export const walletRoot = HDKey.fromMasterSeed(new Uint8Array(32).fill(9), versions)

/** As its wallet exports it: a descriptor with the key's origin. */
export function accountOf(script: 'wpkh' | 'tr', root = walletRoot): BitcoinAccount {
  const purpose = script === 'wpkh' ? 84 : 86
  const fingerprint = root.fingerprint.toString(16).padStart(8, '0')
  const key = root.derive(`m/${purpose}'/1'/0'`).publicExtendedKey
  return bitcoinAccount(`${script}([${fingerprint}/${purpose}h/1h/0h]${key}/<0;1>/*)`, walletNetwork)
}

/** Somebody else's addresses. */
export const otherAccount = bitcoinAccount(walletRoot.derive("m/84'/1'/9'").publicExtendedKey, walletNetwork)

/** With the wallet's signatures, not finalised. */
export function signPsbt(psbt: string | Uint8Array, root = walletRoot): Transaction {
  const transaction = Transaction.fromPSBT(typeof psbt === 'string' ? base64.decode(psbt) : psbt)
  // It has both keys; the types of the two libraries differ.
  transaction.sign(root as unknown as Signer)
  return transaction
}

/** Signed and finalised. */
export function finalPsbt(psbt: string | Uint8Array, root = walletRoot): Transaction {
  const transaction = signPsbt(psbt, root)
  transaction.finalize()
  return transaction
}
