import type { ReactNode } from 'react'
import { cancelDeposit, cancelInvestment, cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { t } from '#shared/i18n/t.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { tr } from '#web/tr.ts'
import type { Request } from './request.ts'

const calls = { deposit: cancelDeposit, investment: cancelInvestment, withdrawal: cancelWithdrawal }

type CancelDialogProps = {
  of: Request
  onClose: () => void
  /** Where the focus goes once the request is cancelled and its button is gone. */
  afterCancel: () => HTMLElement | undefined
}

/** Says what happens to the money, then cancels. */
export default function CancelDialog({ of, onClose, afterCancel }: CancelDialogProps) {
  const { kind, record } = of
  return (
    <ConfirmCall
      call={calls[kind]}
      input={{ params: { id: record._id } }}
      title={tr(
        '{kind, select, deposit {Cancel deposit {number}?} investment {Cancel investment {number}?} other {Cancel withdrawal {number}?}}',
        { kind, number: <span className="whitespace-nowrap">{record.invoiceId}</span> },
      )}
      confirm={t(
        '{kind, select, deposit {Cancel deposit} investment {Cancel investment} other {Cancel withdrawal}}',
        { kind },
      )}
      dismiss={t(
        '{kind, select, deposit {Keep deposit} investment {Keep investment} other {Keep withdrawal}}',
        { kind },
      )}
      tone="danger"
      onClose={onClose}
      focusTo={afterCancel}
    >
      <div className="grid gap-3">{wordsOf(of)}</div>
    </ConfirmCall>
  )
}

function wordsOf({ kind, record }: Request): ReactNode {
  const amount = <Usd value={record.amount} />
  if (kind === 'withdrawal') {
    return (
      <p>
        {tr('{amount} goes from hold back to your available balance. Nothing is sent to {address}.', {
          amount,
          address: <GroupedAddress address={record.walletAddress} />,
        })}
      </p>
    )
  }
  if (kind === 'investment' && record.held) {
    return (
      <p>
        {tr(
          '{amount} goes from hold back to your available balance. Nothing is invested in the {plan} plan.',
          { amount, plan: record.plan },
        )}
      </p>
    )
  }
  return (
    <>
      <p className="font-medium text-ink">
        {t('If you have already sent the payment, do not cancel. We credit it once it is confirmed.')}
      </p>
      <p>
        {kind === 'deposit' && record.investment === null
          ? t(
              'This ends the payment request. A payment that still arrives is not lost: we add it to your balance.',
            )
          : t(
              'This ends the payment request and the investment that it pays for. A payment that still arrives is not lost: we add it to your balance.',
            )}
      </p>
    </>
  )
}
