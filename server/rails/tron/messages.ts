import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why a text is no signed transaction of a plan. */
export const signedTronRefusals = defineRefusals({
  not_readable: () =>
    'This holds no signed transaction. Paste the JSON that your wallet gives after signing: each transaction with its signature.',
  unknown_transaction: ({ id }: { id: string }) =>
    `Transaction ${id} is not one of this batch. Sign the transactions of its file unchanged.`,
  wrong_id: ({ id }: { id: string }) =>
    `Transaction ${id} has another content than its id says. Sign the transactions of the file unchanged.`,
  other_signer: ({ signer, sender }: { signer: string; sender: string }) =>
    `${signer} signed a transaction; this batch pays from ${sender}.`,
})
export type SignedTronRefusal = RefusalOf<typeof signedTronRefusals>
