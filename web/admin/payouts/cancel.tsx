import { cancelPayout, type PayoutDetail } from '#shared/contract/payouts.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { fieldError, mergeErrors } from '#web/ui/form.tsx'

const fields = ['reason', 'notBroadcast'] as const

const attestationMissing = 'Confirm that the file has not been and will not be broadcast'

/** Cancels a batch; the person who cancels attests that its file was not broadcast. */
export function CancelPayout({ batch, onClose }: { batch: PayoutDetail; onClose: () => void }) {
  const open = batch.items.filter(({ state }) => state === 'open')
  return (
    <ActionDialog
      call={cancelPayout}
      tone="danger"
      title="Cancel this batch?"
      description="Its unpaid withdrawals are released for another payment. If its file were broadcast after all, they would be paid twice."
      entries={[
        ['Batch', batch.number],
        ['Amount of the whole batch', <Usd key="amount" value={batch.amount} />],
        ['Withdrawals released', open.length],
      ]}
      fields={fields}
      check={values =>
        mergeErrors(
          reasonError(values),
          values.notBroadcast === 'yes' ? undefined : fieldError('notBroadcast', attestationMissing),
        )
      }
      confirm="Cancel the batch"
      input={({ reason }) => ({
        params: { id: batch._id },
        body: { reason: reason.trim(), notBroadcast: true as const },
      })}
      onClose={onClose}
    >
      <ReasonField reader="log" autoFocus />
      <Attestation name="notBroadcast">
        I confirm this file has not been and will not be broadcast, by anyone.
      </Attestation>
    </ActionDialog>
  )
}
