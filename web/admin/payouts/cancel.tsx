import { cancelPayout, type PayoutDetail } from '#shared/contract/payouts.ts'
import { ActDialog } from '#web/admin/acts/act-dialog.tsx'
import { ReasonField, reasonFault } from '#web/admin/acts/reason-field.tsx'
import { Said } from '#web/admin/acts/said.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { faultAt, together } from '#web/ui/form.tsx'

const fields = ['reason', 'notBroadcast'] as const

const confirmIt = 'Confirm that it was not sent and will not be'

/** What was not sent is given up, by the word of whoever cancels. */
export function CancelPayout({ batch, onClose }: { batch: PayoutDetail; onClose: () => void }) {
  const open = batch.items.filter(({ state }) => state === 'open')
  return (
    <ActDialog
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
        together(
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
      <Said name="notBroadcast">It was not sent and will not be, also not by anybody who has its file.</Said>
    </ActDialog>
  )
}
