import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Transaction } from '@scure/btc-signer'
import { outpointOf } from '#server/rails/chain.ts'
import { t } from '#shared/i18n/t.ts'
import { addressOfScript } from './addresses.ts'
import type { SignedRefusal } from './messages.ts'
import type { BitcoinNetwork } from './networks.ts'
import { btc } from './outputs.ts'

/** What a transaction does otherwise than the closest of the plans, in the order of its importance to people. */
export function differenceOf(
  file: Transaction,
  plans: readonly Transaction[],
  network: BitcoinNetwork,
): SignedRefusal {
  const spent = new Set(outpointsOf(file))
  const shared = (plan: Transaction) => outpointsOf(plan).filter(outpoint => spent.has(outpoint)).length
  const plan = plans.reduce((closest, each) => (shared(each) > shared(closest) ? each : closest))
  if (shared(plan) === 0) return { reason: 'other_transaction' }
  return otherPayment(file, plan, network) ?? otherInput(file, plan) ?? otherForm(file, plan)
}

function outpointsOf(transaction: Transaction): string[] {
  return Array.from({ length: transaction.inputsLength }, (_, at) => {
    const { txid, index } = transaction.getInput(at)
    return outpointOf(bytesToHex(txid!), index!)
  })
}

function otherInput(file: Transaction, plan: Transaction): SignedRefusal | null {
  const [signed, planned] = [outpointsOf(file), outpointsOf(plan)]
  const added = signed.find(outpoint => !planned.includes(outpoint))
  if (added !== undefined) return { reason: 'other_input', outpoint: added, isMissing: false }
  const missing = planned.find(outpoint => !signed.includes(outpoint))
  return missing === undefined ? null : { reason: 'other_input', outpoint: missing, isMissing: true }
}

/** What each script is paid in all. */
function paymentsOf(transaction: Transaction): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  for (let at = 0; at < transaction.outputsLength; at += 1) {
    const { script, amount } = transaction.getOutput(at)
    const name = bytesToHex(script!)
    paid.set(name, (paid.get(name) ?? 0n) + amount!)
  }
  return paid
}

function otherPayment(file: Transaction, plan: Transaction, network: BitcoinNetwork): SignedRefusal | null {
  const [signed, planned] = [paymentsOf(file), paymentsOf(plan)]
  const script = [...planned.keys(), ...signed.keys()].find(name => signed.get(name) !== planned.get(name))
  if (script === undefined) return null
  const address = addressOfScript(hexToBytes(script), network) ?? t('the script {script}', { script })
  const words = (paid: Map<string, bigint>) =>
    paid.has(script) ? btc(paid.get(script)!) : t('nothing', {}, 'an amount')
  return { reason: 'other_payment', address, amount: words(signed), expected: words(planned) }
}

function otherForm(file: Transaction, plan: Transaction): SignedRefusal {
  const sequences = (transaction: Transaction) =>
    Array.from({ length: transaction.inputsLength }, (_, at) => transaction.getInput(at).sequence).join()
  const part =
    file.version !== plan.version
      ? 'version'
      : file.lockTime !== plan.lockTime
        ? 'locktime'
        : sequences(file) !== sequences(plan)
          ? 'sequence'
          : 'order'
  return { reason: 'other_form', part }
}
