import { approveEarning } from '#shared/contract/earnings.ts'
import type { Earning } from '#shared/contract/entities.ts'
import { PersonName } from '#web/admin/person.tsx'
import { ActDialog, Moved } from './act-dialog.tsx'
import type { Action } from './actions.tsx'

/** What may be done with an earning: the second admin's approval, where it is configured (D7). */
export function earningActions(earning: Earning): Action[] {
  if (earning.status !== 'pending') return []
  return [
    {
      label: 'Approve',
      of: `the earning of ${earning.userName ?? earning.user}`,
      dialog: close => (
        <ActDialog
          call={approveEarning}
          title="Approve this earning?"
          description="It is paid out of recorded returns. Another admin than the one who added it has to approve it."
          entries={[
            ['Investor', <PersonName key="name" row={earning} />],
            ['Investment', earning.investmentLabel],
            ['Source', earning.source],
            ['Note', earning.note],
            ['From recorded returns to the available balance', <Moved key="moved" value={earning.amount} />],
          ]}
          confirm="Approve earning"
          input={() => ({ params: { id: earning._id } })}
          onClose={close}
        />
      ),
    },
  ]
}
