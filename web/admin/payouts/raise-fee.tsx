import { type PayoutDetail, raisePayoutFee } from '#shared/contract/payouts.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { FeeRateField, feeRateError } from './fee-rate.tsx'
import { feeWords } from './parts.tsx'

const fields = ['feeRate'] as const

/** Makes a file that pays the same with a higher fee. */
export function RaiseFee({ batch, onClose }: { batch: PayoutDetail; onClose: () => void }) {
  const { fee, purpose } = batch.files.at(-1)!
  const isBitcoin = batch.asset === 'BTC'
  return (
    <ActionDialog
      call={raisePayoutFee}
      title={t('Raise the fee?')}
      description={
        purpose === 'cancellation'
          ? t(
              'This makes a new file to sign. It cancels the same with a higher fee. The network takes either this one or the one before, never both.',
            )
          : t(
              'This makes a new file to sign. It pays the same with a higher fee. The network takes either this one or the one before, never both.',
            )
      }
      entries={[
        [t('Batch'), batch.number],
        [t('Fee now'), fee && feeWords(fee)],
      ]}
      fields={fields}
      check={({ feeRate }) => (isBitcoin ? feeRateError(feeRate.trim(), fee?.rate ?? 0) : undefined)}
      confirm={t('Make the file')}
      input={({ feeRate }) => ({
        params: { id: batch._id },
        body: isBitcoin ? { feeRate: Number(feeRate) } : {},
      })}
      onClose={onClose}
    >
      {isBitcoin && <FeeRateField estimate={batch.feeRateNow} />}
    </ActionDialog>
  )
}
