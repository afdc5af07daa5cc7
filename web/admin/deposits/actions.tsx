import { approveDeposit, creditDeposit, declineDeposit, reviewDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { withCommas } from '#shared/money.ts'
import { ActDialog, type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { Coin, shortDecimal } from '#web/components/crypto.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { missing } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import {
  ArrivalFields,
  arrivalFault,
  arrivalFields,
  toldBy,
  tooLittle,
  useArrival,
} from './manual-receipt.tsx'

function shown({ _id, invoiceId }: Deposit, posts: boolean) {
  return shownAt(paths.admin.deposit(_id), invoiceId, posts)
}

/** What the payment of a deposit should have brought, and where. */
function paymentOf(deposit: Deposit): Entry[] {
  const { invoiceId, method, payment } = deposit
  return [
    ['Deposit', invoiceId],
    ['Investor', <PersonName key="name" row={deposit} />],
    ['Payment method', methodLabel(method)],
    ['Amount asked for', <Coin key="coin" method={method} payment={payment} />],
    ['Payment address', payment.address],
  ]
}

/** An amount of its coin, for people; null where there is none. */
function coinsOf({ payment }: Deposit, amountCrypto: string | null): string | null {
  return amountCrypto && `${withCommas(shortDecimal(amountCrypto))} ${payment.asset}`
}

/** What may be done with a deposit (N-06). */
export function depositActions(deposit: Deposit): Action[] {
  const looks = deposit.needsReview ? [lookAt(deposit)] : []
  const rateless = deposit.flags.includes('rate_missing')
  const large = deposit.flags.includes('large')
  const credits = rateless ? [creditAtRate(deposit)] : large || deposit.canCredit ? [credit(deposit)] : []
  // What nobody had asked for has no locked rate that it could be approved at.
  const approves = rateless && deposit.flags.includes('unsolicited') ? [] : [approve(deposit)]
  if (deposit.status === 'pending') return [...credits, ...approves, decline(deposit), ...looks]
  if (rateless || large || looks.length > 0) return [...credits, ...looks]
  // What arrives when nobody waits for it any more is never lost (D5).
  return deposit.status === 'paid' ? [] : [approve(deposit)]
}

function whenToApprove({ status, seen, missing: toCome, investment, flags }: Deposit): string {
  if (status === 'unpaid')
    return 'Its time is over. Approve it if the payment has arrived after all: the investor can use the money at once.'
  if (status === 'declined')
    return 'It was declined. Approve it if the payment has arrived after all: the investor can use the money at once.'
  if (flags.includes('large'))
    return 'Its network shows more than is credited by itself: look at it, and credit it. Approve it by hand only where that cannot be.'
  if (toCome !== null)
    return 'Less came than was asked for. Unless the rest comes, it is credited by itself when its time is over. Approve it by hand only where more has arrived than its network shows.'
  if (seen !== null)
    return 'Its network is watched: what came is credited by itself once it is confirmed. Approve it by hand only where that does not happen.'
  return investment === null
    ? 'Approve it once the payment has arrived. The investor can use the money at once.'
    : 'Approve it once the payment has arrived. It pays an investment, which is approved by itself.'
}

const shortWords =
  'It is credited at the rate of the payment, and the rest is no longer waited for. An investment that it does not cover is declined.'
const compareWords = 'a node can be wrong, or lie. Compare it with another explorer of its network first.'
const largeWords = `It is so large that nothing credits it by itself: ${compareWords} It is credited at the rate of the payment, or of its arrival where it came late.`

/** What its network shows of one that came short, without waiting for the rest; or of a large one, once somebody has looked. */
function credit(deposit: Deposit): Action {
  const { seen, flags, missing: toCome } = deposit
  const description = !flags.includes('large')
    ? shortWords
    : toCome === null
      ? largeWords
      : `${largeWords} The rest is no longer waited for, and an investment that it does not cover is declined.`
  const coins = (text: string | null) => coinsOf(deposit, text)
  return {
    label: 'Credit',
    call: creditDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActDialog
        call={creditDeposit}
        title="Credit what came?"
        description={description}
        entries={[
          ...paymentOf(deposit),
          [flags.includes('large') ? 'Seen in all' : 'What came', coins(seen)],
          ['Still to come', coins(toCome)],
        ]}
        shown={shown(deposit, true)}
        optionalReason="investor"
        confirm="Credit what came"
        input={() => ({ params: { id: deposit._id }, body: { seen } })}
        onClose={close}
      />
    ),
  }
}

const rateFields = ['rate', 'rateSource'] as const
const rateMissing = 'The rate of its arrival and where it is from are required'

/** What came while no rate was recorded, at the rate that somebody says: how large it is shows by that rate alone. */
function creditAtRate(deposit: Deposit): Action {
  const { payment, seen } = deposit
  return {
    label: 'Credit',
    call: creditDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActDialog
        call={creditDeposit}
        title="Credit what came without a rate?"
        description={`When it came, no rate was recorded. It is credited at the rate that you enter, however large it is: ${compareWords} The investor sees where the rate is from.`}
        entries={[
          ...paymentOf(deposit),
          ['Seen in all', seen && `${withCommas(shortDecimal(seen))} ${payment.asset}`],
        ]}
        fields={rateFields}
        check={values => missing(values, rateFields, rateMissing)}
        shown={shown(deposit, true)}
        optionalReason="investor"
        confirm="Credit what came"
        input={({ rate, rateSource }) => ({
          params: { id: deposit._id },
          body: { rate: rate.trim().replaceAll(',', ''), rateSource: rateSource.trim(), seen },
        })}
        onClose={close}
      >
        <Field
          name="rate"
          label={`Rate of its arrival: dollars for 1 ${payment.asset}`}
          hint="When it came stands on the page of the deposit. What came at other times waits for a rate of its own."
        >
          <Input inputMode="decimal" autoComplete="off" className="tabular-nums" autoFocus />
        </Field>
        <Field name="rateSource" label="Where that rate is from" hint="The investor sees it.">
          <Input maxLength={120} autoComplete="off" />
        </Field>
      </ActDialog>
    ),
  }
}

function approve(deposit: Deposit): Action {
  return {
    label: 'Approve',
    call: approveDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => <ApproveDeposit deposit={deposit} onClose={close} />,
  }
}

function ApproveDeposit({ deposit, onClose }: { deposit: Deposit; onClose: () => void }) {
  const arrival = useArrival(deposit)
  return (
    <ActDialog
      call={approveDeposit}
      title="Approve this deposit?"
      description={whenToApprove(deposit)}
      entries={paymentOf(deposit)}
      shown={shown(deposit, true)}
      optionalReason="investor"
      confirm="Approve deposit"
      ready={arrival.weighing.state !== 'asked'}
      fields={arrivalFields}
      check={values => arrivalFault(deposit, values, arrival)}
      input={values => ({ params: { id: deposit._id }, body: toldBy(deposit, values) })}
      onClose={onClose}
    >
      <ArrivalFields
        deposit={deposit}
        arrival={arrival}
        notCovered={`${tooLittle(deposit)} The investment is declined; the investor can invest again from the balance.`}
      />
    </ActDialog>
  )
}

/** Something of it is there that nobody but the firm credits. */
function needsStaffReview({ flags, confirmations }: Deposit): boolean {
  return confirmations !== null && (flags.includes('large') || flags.includes('rate_missing'))
}

/** A payment that came short, over or late waits for somebody to look at it. */
function lookAt(deposit: Deposit): Action {
  const { status, deviation, seen, flags, wrongAssetTransfers } = deposit
  return {
    label: 'Mark as looked at',
    call: reviewDeposit,
    of: deposit.invoiceId,
    about: deposit.user,
    dialog: close => (
      <ActDialog
        call={reviewDeposit}
        {...(needsStaffReview(deposit) ? leaves : settles)}
        entries={[...paymentOf(deposit), ['How it came', deposit.label]]}
        shown={shown(deposit, false)}
        optionalReason="investor"
        confirm="Note that I have looked"
        input={() => ({
          params: { id: deposit._id },
          body: { status, deviation, seen, flags, wrongAssetTransfers },
        })}
        onClose={close}
      />
    ),
  }
}

const settles = {
  title: 'Nothing left to do about this payment?',
  description: 'It waits no longer in the console. No money moves.',
}
const leaves = {
  title: 'Leave what came uncredited?',
  description:
    'Nothing credits it by itself, and its owner waits for it: it is credited once somebody presses Credit. Until more comes, it is no longer listed as to be looked at. No money moves.',
}

/** What its network has shown already is not lost with it (D5). */
function whatDeclining(deposit: Deposit): string {
  const { seen, investment } = deposit
  const payment =
    seen === null
      ? 'Decline it only if nothing has arrived.'
      : needsStaffReview(deposit)
        ? 'Its network shows a payment that nothing credits by itself: declined or not, it waits for somebody of the firm to credit it.'
        : 'Its network shows a payment: declined or not, that is credited to the balance, a large one once somebody of the firm has looked.'
  if (investment !== null) return `${payment} The investment that it was to pay is declined with it.`
  return seen === null ? `${payment} No money moves.` : payment
}

function decline(deposit: Deposit): Action {
  return {
    label: 'Decline',
    call: declineDeposit,
    of: deposit.invoiceId,
    tone: 'danger',
    dialog: close => (
      <ReasonDialog
        reader="investor"
        tone="danger"
        call={declineDeposit}
        title="Decline this deposit?"
        description={whatDeclining(deposit)}
        entries={[
          ...paymentOf(deposit),
          ['Seen on the network', coinsOf(deposit, deposit.seen)],
          ['Amount', <Moved key="moved" value={deposit.amount} />],
        ]}
        shown={shown(deposit, false)}
        confirm="Decline deposit"
        input={reason => ({ params: { id: deposit._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
