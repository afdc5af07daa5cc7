import { approveDeposit, creditDeposit, declineDeposit, reviewDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { isHeldForReview } from '#shared/payments.ts'
import { ActionDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { Coin, shortDecimal } from '#web/components/crypto.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { consolePaths } from '#web/console-paths.ts'
import { inLocalTime } from '#web/local-time.ts'
import { Field } from '#web/ui/field.tsx'
import { missing } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import {
  notCoveredText,
  ReceiptFields,
  receiptBody,
  receiptError,
  receiptFields,
  useReceipt,
} from './manual-receipt.tsx'
import { rateError, typedRate } from './typed-decimal.ts'

function shown({ _id, invoiceId }: Deposit, posts: boolean) {
  return shownAt(consolePaths.deposit(_id), invoiceId, posts)
}

/** The payment that a deposit requested. */
function paymentOf(deposit: Deposit): Entry[] {
  const { invoiceId, method, payment } = deposit
  return [
    [t('Deposit'), invoiceId],
    [t('Investor'), <PersonName key="name" row={deposit} />],
    [t('Payment method'), methodLabel(method)],
    [t('Amount requested'), <Coin key="coin" method={method} payment={payment} />],
    [t('Payment address'), payment.address],
  ]
}

/** A readable amount of its coin; null if there is none. */
export function coinsOf({ payment }: Deposit, amountCrypto: string | null): string | null {
  return amountCrypto && `${withCommas(shortDecimal(amountCrypto))} ${payment.asset}`
}

/** Whether what the network shows can be credited without staff entering a rate. */
export function isCreditable({ flags, canCredit }: Deposit): boolean {
  return !flags.includes('rate_missing') && (isHeldForReview(flags) || canCredit)
}

/** Where the credited money goes. A deposit that is not pending pays no investment any more. */
export function creditMoves({ status, investment, missing: toCome }: Deposit): string {
  const isKept = status === 'pending' && investment !== null && toCome === null
  return isKept ? t('Kept for the investment') : t('To the available balance')
}

/** The actions on a deposit (N-06). */
export function depositActions(deposit: Deposit): Action[] {
  const reviews = deposit.needsReview ? [review(deposit)] : []
  const rateless = deposit.flags.includes('rate_missing')
  const large = isHeldForReview(deposit.flags)
  const credits = rateless ? [creditAtRate(deposit)] : isCreditable(deposit) ? [credit(deposit)] : []
  // An unsolicited deposit has no locked rate to approve it at.
  const approves = rateless && deposit.flags.includes('unsolicited') ? [] : [approve(deposit)]
  if (deposit.status === 'pending') return [...credits, ...approves, decline(deposit), ...reviews]
  if (rateless || large || reviews.length > 0) return [...credits, ...reviews]
  // A payment after the deadline is still credited (D5).
  return deposit.status === 'paid' ? [] : [approve(deposit)]
}

function approveDescription({
  status,
  cancelled,
  seen,
  missing: toCome,
  investment,
  flags,
}: Deposit): string {
  if (status === 'unpaid')
    return t(
      'Its deadline has passed. Approve it if the payment arrived after all. The investor can use the money at once.',
    )
  if (status === 'declined')
    return cancelled
      ? t(
          'The investor cancelled it. Approve it if the payment arrived after all. The investor can use the money at once.',
        )
      : t(
          'It was declined. Approve it if the payment arrived after all. The investor can use the money at once.',
        )
  if (flags.includes('listed_sender'))
    return t(
      'A sender of the payment is on a sanctions list. Review it and use Credit only if the firm may take the money.',
    )
  if (flags.includes('large'))
    return t(
      'The network shows a large payment. Review it and use Credit. Approve it manually only if that is not possible.',
    )
  if (flags.includes('daily_limit'))
    return t(
      'The network shows a payment beyond the daily limit. Review it and use Credit. Approve it manually only if that is not possible.',
    )
  if (flags.includes('second_source'))
    return t(
      'The second source does not show the payment yet. Review it and use Credit. Approve it manually only if that is not possible.',
    )
  if (toCome !== null && investment !== null)
    return t(
      'Underpaid. If the rest does not arrive, we credit it automatically once we stop watching for it. Approve it manually only if more arrived than the network shows.',
    )
  if (seen !== null)
    return t(
      'The payment is credited automatically once it is confirmed. Approve it manually only if that does not happen.',
    )
  return investment === null
    ? t('Approve it once the payment has arrived. The investor can use the money at once.')
    : t('Approve it once the payment has arrived. It pays an investment, which you approve separately.')
}

const listedText = msg(
  'A sender of this payment is on a sanctions list: credit it only if the firm may take the money.',
)

const amountTexts = [
  [
    'large',
    msg(
      'It is too large to be credited automatically: a node can be faulty. Compare it with an independent explorer first. It is credited at the locked rate, or at the rate of its arrival if late.',
    ),
  ],
  [
    'daily_limit',
    msg(
      'More than the daily limit was credited or arrived in 24 hours: a node can be faulty. Compare it with an independent explorer first. It is credited at the locked rate, or at the rate of its arrival if late.',
    ),
  ],
  [
    'second_source',
    msg(
      'The second source does not show it yet, which should take seconds: a node can be faulty. Compare it with an independent explorer first. It is credited at the locked rate, or at the rate of its arrival if late.',
    ),
  ],
] as const

/** What staff compare before they credit a payment that waits for them. */
function comparedText(flags: Deposit['flags']): string {
  const listed = flags.includes('listed_sender') ? [listedText] : []
  const amount = amountTexts.find(([flag]) => flags.includes(flag))?.slice(1) ?? []
  return [...listed, ...amount].map(text => translate(text)).join(' ')
}

/** Credits an underpaid payment without waiting for the rest, or a large one after a review. */
function credit(deposit: Deposit): Action {
  const { seen, flags, investment, missing: toCome } = deposit
  const compared = comparedText(flags)
  const description = !isHeldForReview(flags)
    ? t(
        'It is credited at the locked rate, or at the rate of its arrival if late, without waiting for the rest. An investment that it does not cover is declined.',
      )
    : toCome === null || investment === null
      ? compared
      : `${compared} ${t('We stop waiting for the rest, and an investment that it does not cover is declined.')}`
  const coins = (text: string | null) => coinsOf(deposit, text)
  return {
    label: t('Credit'),
    call: creditDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActionDialog
        call={creditDeposit}
        title={t('Credit this payment?')}
        description={description}
        entries={[
          ...paymentOf(deposit),
          [isHeldForReview(flags) ? t('Total seen') : t('Received'), coins(seen)],
          [t('Missing'), coins(toCome)],
        ]}
        shown={shown(deposit, true)}
        optionalReason="investor"
        confirm={t('Credit payment')}
        input={() => ({ params: { id: deposit._id }, body: { seen } })}
        onClose={close}
      />
    ),
  }
}

const rateFields = ['rate', 'rateSource'] as const

/** Credits a payment without a recorded rate at the rate that staff enter; its size in dollars depends on that rate. */
function creditAtRate(deposit: Deposit): Action {
  const { payment, seen, flags } = deposit
  const rateless = t(
    "No rate was recorded when it arrived. It is credited at the rate that you enter, however large it is: a node can be faulty. Compare it with an independent explorer first. The investor sees the rate's source.",
  )
  return {
    label: t('Credit'),
    call: creditDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActionDialog
        call={creditDeposit}
        title={t('Credit this payment at your rate?')}
        description={flags.includes('listed_sender') ? `${rateless} ${translate(listedText)}` : rateless}
        entries={[...paymentOf(deposit), [t('Total seen'), coinsOf(deposit, seen)]]}
        fields={rateFields}
        check={values =>
          missing(values, rateFields, t('Enter the rate at its arrival and the source of that rate')) ??
          rateError(values.rate)
        }
        shown={shown(deposit, true)}
        optionalReason="investor"
        confirm={t('Credit payment')}
        input={({ rate, rateSource }) => ({
          params: { id: deposit._id },
          body: { rate: typedRate(rate), rateSource: rateSource.trim(), seen },
        })}
        onClose={close}
      >
        <Field
          name="rate"
          label={t('Rate at its arrival: dollars for 1 {coin}', { coin: payment.asset })}
          hint={t(
            "The deposit's page shows when it arrived. Payments at other times need a rate of their own.",
          )}
        >
          <Input inputMode="decimal" autoComplete="off" className="tabular-nums" autoFocus />
        </Field>
        <Field name="rateSource" label={t('Source of the rate')} hint={t('Shown to the investor.')}>
          <Input dir="auto" maxLength={120} autoComplete="off" />
        </Field>
      </ActionDialog>
    ),
  }
}

function approve(deposit: Deposit): Action {
  return {
    label: t('Approve'),
    call: approveDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => <ApproveDeposit deposit={deposit} onClose={close} />,
  }
}

function ApproveDeposit({ deposit, onClose }: { deposit: Deposit; onClose: () => void }) {
  const receipt = useReceipt(deposit)
  return (
    <ActionDialog
      call={approveDeposit}
      title={t('Approve this deposit?')}
      description={approveDescription(deposit)}
      entries={paymentOf(deposit)}
      shown={shown(deposit, true)}
      optionalReason="investor"
      confirm={t('Approve deposit')}
      ready={receipt.preview.state !== 'asked'}
      fields={receiptFields}
      check={values => receiptError(deposit, values, receipt)}
      input={values => ({ params: { id: deposit._id }, body: receiptBody(deposit, values) })}
      onClose={onClose}
    >
      <ReceiptFields
        deposit={deposit}
        receipt={receipt}
        notCovered={`${notCoveredText(deposit)} ${t('The investment is declined; the investor can invest again from the balance.')}`}
      />
    </ActionDialog>
  )
}

/** True if it has a payment that only staff can credit. */
function needsStaffReview({ flags, confirmations }: Deposit): boolean {
  return confirmations !== null && (isHeldForReview(flags) || flags.includes('rate_missing'))
}

/** Marks a payment with a deviation or a flag as reviewed. */
function review(deposit: Deposit): Action {
  const { status, deviation, seen, flags, wrongAssetTransfers } = deposit
  const words = needsStaffReview(deposit) ? leaveUncredited : nothingLeft
  return {
    label: t('Mark reviewed'),
    call: reviewDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActionDialog
        call={reviewDeposit}
        title={translate(words.title)}
        description={translate(words.description)}
        entries={[...paymentOf(deposit), [t('State'), inLocalTime(deposit.label)]]}
        shown={shown(deposit, false)}
        optionalReason="investor"
        confirm={t('Mark reviewed')}
        input={() => ({
          params: { id: deposit._id },
          body: { status, deviation, seen, flags, wrongAssetTransfers },
        })}
        onClose={close}
      />
    ),
  }
}

const nothingLeft = {
  title: msg('Mark this payment as reviewed?'),
  description: msg('It leaves the list of payments to review. No money moves.'),
}
const leaveUncredited = {
  title: msg('Leave this payment uncredited?'),
  description: msg(
    'It is not credited automatically, and the investor is waiting: use Credit instead. It leaves the list of payments to review until more arrives. No money moves.',
  ),
}

/** Declining loses no payment that the network has shown (D5). */
function declineDescription(deposit: Deposit): string {
  const { seen, investment } = deposit
  const payment =
    seen === null
      ? t('Decline it only if nothing has arrived.')
      : needsStaffReview(deposit)
        ? t(
            'The network shows a payment that only staff can credit. It still needs to be credited after you decline.',
          )
        : t(
            'The network shows a payment. It is credited to the balance even if you decline, a large one after a review.',
          )
  if (investment !== null) return `${payment} ${t('Its investment is declined too.')}`
  return seen === null ? `${payment} ${t('No money moves.')}` : payment
}

function decline(deposit: Deposit): Action {
  return {
    label: t('Decline'),
    call: declineDeposit,
    of: deposit.invoiceId,
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineDeposit}
        title={t('Decline this deposit?')}
        description={declineDescription(deposit)}
        entries={[
          ...paymentOf(deposit),
          [t('Seen on the network'), coinsOf(deposit, deposit.seen)],
          [t('Amount'), <Moved key="moved" value={deposit.amount} />],
        ]}
        shown={shown(deposit, false)}
        confirm={t('Decline deposit')}
        input={reason => ({ params: { id: deposit._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
