import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why no transaction can be built. Amounts are text with their coin. */
export const psbtRefusals = defineRefusals({
  nothing_to_pay: () => 'There is nothing to pay.',
  wrong_network: ({ address, network }: { address: string; network: string }) =>
    `${address} is not an address of ${network}.`,
  unsafe_address: ({ address }: { address: string }) =>
    `${address} is of a type that cannot receive coins safely yet.`,
  unspendable_address: ({ address }: { address: string }) => `No key can exist for ${address}.`,
  dust: ({ address, amount, minimum }: { address: string; amount: string; minimum: string }) =>
    `${amount} to ${address} is too small: the network relays ${minimum} or more.`,
  insufficient_outputs: ({ due, fee, available }: { due: string; fee: string; available: string }) =>
    `${due} and a fee of about ${fee} are needed; ${available} can be spent.`,
  too_many_inputs: ({ due, inputs, available }: { due: string; inputs: number; available: string }) =>
    `Paying ${due} takes more than ${inputs} inputs, which hold ${available} together. Pay fewer withdrawals at once, or first consolidate your coins at one address.`,
  cancelling_costs_more: ({ fee, available }: { fee: string; available: string }) =>
    `Cancelling takes a fee of about ${fee}, which leaves nothing of the ${available} that this batch spends.`,
  file_too_large: () =>
    'The transactions that funded these coins are too large for one file. Pay fewer withdrawals at once.',
})
export type PsbtRefusal = RefusalOf<typeof psbtRefusals>

/** Why a signed file is not accepted. Amounts are text with their coin; inputs are counted from 1. */
export const signedRefusals = defineRefusals({
  unreadable: () =>
    'This is neither a PSBT nor a transaction. Upload the file that your wallet saved, or paste its text (base64 or hexadecimal).',
  other_transaction: () =>
    'This is the transaction of something else: it spends none of the coins of this batch.',
  other_input: ({ outpoint, isMissing }: { outpoint: string; isMissing: boolean }) =>
    isMissing
      ? `This transaction does not spend ${outpoint}, as the batch does.`
      : `This transaction spends ${outpoint}, which the batch does not.`,
  other_payment: ({ address, amount, expected }: { address: string; amount: string; expected: string }) =>
    `This transaction pays ${amount} to ${address}; the batch pays ${expected}.`,
  other_form: ({ part }: { part: string }) =>
    `This transaction pays the same, but its ${part} was changed. Sign the file of the batch as it is.`,
  not_signed: () => 'This file has no signature. Sign it with the wallet first, then save it again.',
  inputs_unsigned: ({ signed, inputs }: { signed: number; inputs: number }) =>
    `${signed} of ${inputs} inputs are signed. Sign the whole file with the wallet that holds all of them.`,
  foreign_key: ({ input, key }: { input: number; key: string }) =>
    `Input ${input} is signed with the key ${key}, which cannot spend it.`,
  bad_signature: ({ input }: { input: number }) =>
    `The signature of input ${input} is not valid for this transaction. Sign the file again.`,
  other_sighash: ({ input }: { input: number }) =>
    `The signature of input ${input} does not cover the whole transaction. Sign it with SIGHASH_ALL.`,
})
export type SignedRefusal = RefusalOf<typeof signedRefusals>
