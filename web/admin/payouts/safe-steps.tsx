import type { PayoutDetail } from '#shared/contract/payouts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { downloadWords } from './parts.tsx'

type File = PayoutDetail['files'][number]

/** How the owners of a Safe sign a file in its app. */
export function SafeSteps({ batch, file }: { batch: PayoutDetail; file: File }) {
  const nonce = nonceOf(batch)
  return (
    <ol className="grid list-decimal gap-2 ps-5 text-ink-soft">
      <li>{translate(downloadWords[file.purpose])}</li>
      <li>
        {t('In Safe, open the app Transaction Builder, choose this file, create the batch and send it.')}
      </li>
      <li>
        {t(
          'Set the nonce to {nonce}. Then compare the SafeTxHash with the one below. If it differs, do not sign.',
          { nonce },
        )}
      </li>
      <li>
        {t(
          'Each owner compares every address and amount on their device, and signs. The last one executes it and pays the network fee.',
        )}
      </li>
      {file.purpose === 'cancellation' && (
        <li>{t('Or reject nonce {nonce} in Safe’s queue. That makes the same transaction.', { nonce })}</li>
      )}
    </ol>
  )
}

/** What the owners compare before they sign. */
export function SafeChecks({ batch, file: { safeTxHash } }: { batch: PayoutDetail; file: File }) {
  if (safeTxHash === null) return null
  return (
    <>
      <DescriptionList
        entries={[
          [t('Nonce'), nonceOf(batch)],
          ['SafeTxHash', <GroupedAddress key="hash" address={safeTxHash} />],
        ]}
      />
      <div>
        <CopyButton text={safeTxHash} label={t('Copy SafeTxHash')} />
      </div>
      <p className="text-ink-soft text-sm">
        {t(
          'There is nothing to add here. We recognise the transaction once it is executed, and mark each withdrawal as paid. If an owner executes it with another nonce, it is not this payment.',
        )}
      </p>
    </>
  )
}

/** The nonce of the Safe that a batch uses. */
function nonceOf({ payments }: PayoutDetail): string {
  return payments[0]!.slots[0]!.slot.split(':')[1]!
}
