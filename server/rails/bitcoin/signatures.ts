import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { equalBytes } from '@noble/curves/utils.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { OutScript, type Transaction } from '@scure/btc-signer'
import { signedRefusals } from './messages.ts'

/** A signature of an input; the key is empty for a taproot output, whose own key signs. */
export type Signature = { key: Uint8Array; signature: Uint8Array }

type Input = ReturnType<Transaction['getInput']>

/** All outputs and inputs (BIP-143, BIP-341): any other signature would let somebody else change the transaction. */
const SIGHASH_ALL = 1
const SIGHASH_DEFAULT = 0

/** How many signatures an input needs. */
export function neededBy(plan: Transaction, index: number): number {
  const spent = OutScript.decode(
    plan.getInput(index).witnessScript ?? plan.getInput(index).witnessUtxo!.script,
  )
  return spent.type === 'ms' ? spent.m : 1
}

/**
 * Signatures of an input in a file: those of a PSBT, and those of a finished witness.
 * @param plan our own PSBT, the source of keys, scripts and amounts
 * @throws AppError wrong_state (signedRefusals) for one that is not valid under a key of the plan, or does not sign everything
 */
export function signaturesIn(file: Input, plan: Transaction, index: number): Signature[] {
  const own = plan.getInput(index)
  const { type } = OutScript.decode(own.witnessUtxo!.script)
  const witness = file.finalScriptWitness ?? []
  if (type === 'tr') {
    const [keySignature = witness[0]] = [file.tapKeySig]
    if (keySignature === undefined) return []
    requireTaproot(keySignature, plan, index)
    return [{ key: new Uint8Array(), signature: keySignature }]
  }
  const stated = (file.partialSig ?? []).map(([key, signature]) => ({ key, signature }))
  const found = [...stated, ...(type === 'wsh' ? ofScript(witness, plan, index) : ofKey(witness))]
  const keys = (own.bip32Derivation ?? []).map(([key]) => key)
  for (const { key, signature } of found) {
    if (!keys.some(each => equalBytes(each, key)))
      throw signedRefusals.error({ reason: 'foreign_key', input: index + 1, key: bytesToHex(key) }, 'signed')
    requireEcdsa(signature, key, plan, index)
  }
  return found
}

/** P2WPKH: a signature and its key (BIP-141). */
function ofKey(witness: readonly Uint8Array[]): Signature[] {
  const [signature, key] = witness
  return signature && key ? [{ signature, key }] : []
}

/** P2WSH: an empty item, signatures in the order of their keys, and the script; which key signed shows by verifying. */
function ofScript(witness: readonly Uint8Array[], plan: Transaction, index: number): Signature[] {
  const keys = (plan.getInput(index).bip32Derivation ?? []).map(([key]) => key)
  return witness.slice(1, -1).map(signature => {
    const key = keys.find(each => isEcdsa(signature, each, plan, index))
    if (key === undefined) throw signedRefusals.error({ reason: 'bad_signature', input: index + 1 }, 'signed')
    return { signature, key }
  })
}

function requireEcdsa(signature: Uint8Array, key: Uint8Array, plan: Transaction, index: number): void {
  if (signature.at(-1) !== SIGHASH_ALL)
    throw signedRefusals.error({ reason: 'other_sighash', input: index + 1 }, 'signed')
  if (!isEcdsa(signature, key, plan, index))
    throw signedRefusals.error({ reason: 'bad_signature', input: index + 1 }, 'signed')
}

/** In DER with a low s, as nodes demand (BIP-66, BIP-146), over the digest of BIP-143. */
function isEcdsa(signature: Uint8Array, key: Uint8Array, plan: Transaction, index: number): boolean {
  const { witnessUtxo, witnessScript } = plan.getInput(index)
  const spent = OutScript.decode(witnessUtxo!.script)
  const code = spent.type === 'wpkh' ? OutScript.encode({ type: 'pkh', hash: spent.hash }) : witnessScript!
  const digest = plan.preimageWitnessV0(index, code, SIGHASH_ALL, witnessUtxo!.amount)
  try {
    return secp256k1.verify(signature.subarray(0, -1), digest, key, {
      prehash: false,
      format: 'der',
      lowS: true,
    })
  } catch {
    return false
  }
}

function requireTaproot(signature: Uint8Array, plan: Transaction, index: number): void {
  const input = index + 1
  const type = signature.length === 64 ? SIGHASH_DEFAULT : signature[64]
  if (signature.length > 65 || (signature.length === 65 && type !== SIGHASH_ALL))
    throw signedRefusals.error({ reason: 'other_sighash', input }, 'signed')
  const spent = Array.from({ length: plan.inputsLength }, (_, at) => plan.getInput(at).witnessUtxo!)
  const output = OutScript.decode(spent[index]!.script) as { pubkey: Uint8Array }
  const scripts = spent.map(({ script }) => script)
  const amounts = spent.map(({ amount }) => amount)
  const digest = plan.preimageWitnessV1(index, scripts, type!, amounts)
  const isValid = signature.length >= 64 && schnorr.verify(signature.subarray(0, 64), digest, output.pubkey)
  if (!isValid) throw signedRefusals.error({ reason: 'bad_signature', input }, 'signed')
}
