import { t } from '#shared/i18n/t.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why a text is no signed transaction of a plan. */
export const signedTronRefusals = defineRefusals({
  not_readable: () =>
    t(
      'This holds no signed transaction. Paste the JSON that your wallet gives after signing: each transaction with its signature.',
    ),
  unknown_transaction: ({ id }: { id: string }) =>
    t('Transaction {id} is not one of this batch. Sign the transactions of its file unchanged.', { id }),
  wrong_id: ({ id }: { id: string }) =>
    t('Transaction {id} has another content than its id says. Sign the transactions of the file unchanged.', {
      id,
    }),
  other_signer: ({ signer, sender }: { signer: string; sender: string }) =>
    t('{signer} signed a transaction; this batch pays from {sender}.', { signer, sender }),
})
export type SignedTronRefusal = RefusalOf<typeof signedTronRefusals>
