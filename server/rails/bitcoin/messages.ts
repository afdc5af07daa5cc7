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
