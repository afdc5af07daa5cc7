import { cancelPayout, type PayoutDetail } from '#shared/contract/payouts.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { ReasonField, reasonFault } from '#web/admin/actions/reason-field.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { faultAt, mergeFaults } from '#web/ui/form.tsx'

const fields = ['reason', 'notBroadcast'] as const

const confirmIt = 'Confirm that it was not sent and will not be'

/** What was not sent is given up, by the word of whoever cancels. */
export function CancelPayout({ batch, onClose }: { batch: PayoutDetail; onClose: () => void }) {
  const open = batch.items.filter(({ state }) => state === 'open')
  return (
    <ActionDialog
      call={cancelPayout}
      tone="danger"
      title="Cancel this batch?"
      description="Its withdrawals can then be paid otherwise. If its file were sent after all, they would be paid twice."
      entries={[
        ['Batch', batch.number],
        ['Amount of the whole batch', <Usd key="amount" value={batch.amount} />],
        ['Withdrawals that are set free', open.length],
      ]}
      fields={fields}
      check={values =>
        mergeFaults(
          reasonFault(values),
          values.notBroadcast === 'yes' ? undefined : faultAt('notBroadcast', confirmIt),
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
        It was not sent and will not be, also not by anybody who has its file.
      </Attestation>
    </ActionDialog>
  )
}
