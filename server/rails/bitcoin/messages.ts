import { t } from '#shared/i18n/t.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why no transaction can be built. Amounts are text with their coin. */
export const psbtRefusals = defineRefusals({
  nothing_to_pay: () => t('There is nothing to pay.'),
  wrong_network: ({ address, network }: { address: string; network: string }) =>
    t('{address} is not an address of {network}.', { address, network }),
  unsafe_address: ({ address }: { address: string }) =>
    t('{address} is of a type that cannot receive coins safely yet.', { address }),
  unspendable_address: ({ address }: { address: string }) =>
    t('No key can exist for {address}.', { address }),
  dust: ({ address, amount, minimum }: { address: string; amount: string; minimum: string }) =>
    t('{amount} to {address} is too small: the network relays {minimum} or more.', {
      amount,
      address,
      minimum,
    }),
  insufficient_outputs: ({ due, fee, available }: { due: string; fee: string; available: string }) =>
    t('{due} and a fee of about {fee} are needed; {available} can be spent.', { due, fee, available }),
  too_many_inputs: ({ due, inputs, available }: { due: string; inputs: number; available: string }) =>
    t(
      'Paying {due} takes more than {inputs} inputs, which hold {available} together. Pay fewer withdrawals at once, or first consolidate your coins at one address.',
      { due, inputs, available },
    ),
  cancelling_costs_more: ({ fee, available }: { fee: string; available: string }) =>
    t(
      'Cancelling takes a fee of about {fee}, which leaves nothing of the {available} that this batch spends.',
      { fee, available },
    ),
  file_too_large: () =>
    t('The transactions that funded these coins are too large for one file. Pay fewer withdrawals at once.'),
})
export type PsbtRefusal = RefusalOf<typeof psbtRefusals>

/** Why a signed file is not accepted. Amounts are text with their coin; inputs are counted from 1. */
export const signedRefusals = defineRefusals({
  unreadable: () =>
    t(
      'This is neither a PSBT nor a transaction. Upload the file that your wallet saved, or paste its text (base64 or hexadecimal).',
    ),
  other_transaction: () =>
    t('This is the transaction of something else: it spends none of the coins of this batch.'),
  other_input: ({ outpoint, isMissing }: { outpoint: string; isMissing: boolean }) =>
    isMissing
      ? t('This transaction does not spend {outpoint}, as the batch does.', { outpoint })
      : t('This transaction spends {outpoint}, which the batch does not.', { outpoint }),
  other_payment: ({ address, amount, expected }: { address: string; amount: string; expected: string }) =>
    t('This transaction pays {amount} to {address}; the batch pays {expected}.', {
      amount,
      address,
      expected,
    }),
  other_form: ({ part }: { part: 'version' | 'locktime' | 'sequence' | 'order' }) =>
    t(
      'This transaction pays the same, but its {part, select, version {version} locktime {lock time} sequence {sequence of an input} other {order of inputs or outputs}} was changed. Sign the file of the batch as it is.',
      { part },
    ),
  not_signed: () => t('This file has no signature. Sign it with the wallet first, then save it again.'),
  inputs_unsigned: ({ signed, inputs }: { signed: number; inputs: number }) =>
    t('{signed} of {inputs} inputs are signed. Sign the whole file with the wallet that holds all of them.', {
      signed,
      inputs,
    }),
  foreign_key: ({ input, key }: { input: number; key: string }) =>
    t('Input {input} is signed with the key {key}, which cannot spend it.', { input, key }),
  bad_signature: ({ input }: { input: number }) =>
    t('The signature of input {input} is not valid for this transaction. Sign the file again.', { input }),
  other_sighash: ({ input }: { input: number }) =>
    t('The signature of input {input} does not cover the whole transaction. Sign it with SIGHASH_ALL.', {
      input,
    }),
})
export type SignedRefusal = RefusalOf<typeof signedRefusals>
