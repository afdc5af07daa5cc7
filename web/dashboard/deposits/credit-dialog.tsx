import { creditOwnDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { tr } from '#web/tr.ts'

type CreditDialogProps = { deposit: Deposit; onClose: () => void }

/** Asks before the underpaid payment of an investment is credited as it is. */
export default function CreditDialog({ deposit, onClose }: CreditDialogProps) {
  const { _id, seen, payment } = deposit
  const amount = <bdi dir="ltr">{`${withCommas(shortDecimal(seen ?? '0'))} ${payment.asset}`}</bdi>
  return (
    <ConfirmCall
      call={creditOwnDeposit}
      input={{ params: { id: _id } }}
      success={({ status }) =>
        status === 'paid'
          ? t('Your payment is credited')
          : t('Our team will review the payment before crediting it')
      }
      title={t('Credit what arrived?')}
      confirm={t('Credit now')}
      onClose={onClose}
    >
      {tr(
        'We add {amount} to your balance at the rate of this payment and stop waiting for the rest. Large payments are credited after our team has reviewed them. It does not cover the investment, so that is declined. You can invest again from your balance.',
        { amount },
      )}
    </ConfirmCall>
  )
}
