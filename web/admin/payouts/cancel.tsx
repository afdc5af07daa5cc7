import { cancelPayout, getPayout, type PayoutDetail } from '#shared/contract/payouts.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { useRead } from '#web/api/read.ts'
import { mergeErrors } from '#web/ui/form.tsx'
import { FeeRateField, feeRateError } from './fee-rate.tsx'
import { BatchAmount } from './parts.tsx'

const fields = ['reason', 'feeRate'] as const

/** Cancels a batch: at once while nobody has its file, else by the network. */
export function CancelPayout({ batch: opened, onClose }: { batch: PayoutDetail; onClose: () => void }) {
  // Somebody may download its file meanwhile.
  const { data: batch = opened } = useRead(getPayout, { params: { id: opened._id } })
  const isOutside =
    batch.files.some(({ exportedAt }) => exportedAt !== null) ||
    batch.payments.some(({ status }) => status !== 'drafted')
  const asksRate = isOutside && batch.asset === 'BTC'
  return (
    <ActionDialog
      call={cancelPayout}
      tone="danger"
      title={t('Cancel this batch?')}
      description={descriptionOf(batch, isOutside)}
      entries={[
        [t('Batch'), batch.number],
        [t('Amount of the whole batch'), <BatchAmount key="amount" of={batch} />],
        [
          batch.purpose === 'payout' ? t('Unpaid withdrawals') : t('Deposits not moved yet'),
          number(openCount(batch)),
        ],
      ]}
      fields={fields}
      check={values =>
        mergeErrors(reasonError(values), asksRate ? feeRateError(values.feeRate.trim()) : undefined)
      }
      confirm={t('Cancel batch')}
      dismiss={t('Keep batch')}
      input={({ reason, feeRate }) => ({
        params: { id: batch._id },
        body: { reason: reason.trim(), ...(asksRate ? { feeRate: Number(feeRate) } : {}) },
      })}
      onClose={onClose}
    >
      <ReasonField reader="log" autoFocus />
      {asksRate && <FeeRateField estimate={batch.feeRateNow} />}
    </ActionDialog>
  )
}

function openCount({ items, moves }: PayoutDetail): number {
  const swept = moves.filter(({ kind }) => kind === 'sweep')
  return [...items, ...swept].filter(({ state }) => state === 'open').length
}

function descriptionOf({ wallet, purpose }: PayoutDetail, isOutside: boolean): string {
  if (purpose === 'sweep') return sweepDescription(wallet, isOutside)
  if (!isOutside) {
    return t(
      'Nobody has its file. Its withdrawals are free for another batch at once. If a later batch waits for its nonces, there is a file to sign first.',
    )
  }
  if (wallet === 'USDT TRC-20') {
    return t(
      'Its file was downloaded, so it may be signed already and broadcast until it expires. Its withdrawals are free after that.',
    )
  }
  return t(
    'Its file was downloaded, so it may be signed already. This makes another file for you to sign, whose transactions take the place of the payments and pay nobody. The withdrawals are free once those are final.',
  )
}

function sweepDescription(wallet: PayoutDetail['wallet'], isOutside: boolean): string {
  if (!isOutside) {
    return t(
      'Nobody has its file. Its deposits are free for another batch at once. If a later batch waits for its nonces, there is a file to sign first.',
    )
  }
  if (wallet === 'USDT TRC-20') {
    return t(
      'Its file was downloaded, so it may be signed already and broadcast until it expires. Its deposits are free for another batch after that.',
    )
  }
  return t(
    'Its file was downloaded, so it may be signed already. This makes another file for you to sign, whose transactions take the place of the transfers and move nothing. Addresses that cannot pay the fee still get it from the payout address. The deposits are free for another batch once those are final.',
  )
}
