import type { ReactNode } from 'react'
import { Link } from 'react-router'
import {
  acknowledgePayout,
  cancelPayout,
  getPayout,
  type PayoutDetail,
  type PayoutItem,
  type PayoutMove,
  type PayoutPayment,
  raisePayoutFee,
} from '#shared/contract/payouts.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Numbered, PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CancelPayout } from './cancel.tsx'
import { alertWords, CoinText, feeWords, PaymentStatus, PayoutStatus } from './parts.tsx'
import { RaiseFee } from './raise-fee.tsx'
import { isOpen, NextStep } from './steps.tsx'

type PayoutFileEntry = PayoutDetail['files'][number]

export const meta = pageMeta(msg('Payout batch'))

/** `/admin/payout?id=`: a batch, its file, and the status of its withdrawals. */
export default function PayoutPage() {
  return (
    <DetailPage
      call={getPayout}
      title={t('Payout batch')}
      of={t('payout batch')}
      elsewhere={t('Pick a batch from the list of payouts.')}
    >
      {batch => <Batch batch={batch} />}
    </DetailPage>
  )
}

function Batch({ batch }: { batch: PayoutDetail }) {
  return (
    <>
      <PageHead
        title={
          <Numbered
            name={batch.purpose === 'sweep' ? t('Deposit batch') : t('Payout batch')}
            number={batch.number}
          />
        }
        lead={<PayoutStatus batch={batch} />}
        aside={<Actions actions={actionsOf(batch)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('What to do')}>
          <NextStep batch={batch} />
        </Section>
        <Section title={t('Batch')}>
          <Facts batch={batch} />
        </Section>
        {batch.purpose === 'payout' ? (
          <Section title={t('Withdrawals')} className="lg:col-span-2">
            <Table
              wide
              caption={t('Withdrawals of {number}', { number: batch.number })}
              columns={columnsOf(batch)}
              rows={batch.items}
              keyOf={({ withdrawal }) => withdrawal}
            />
          </Section>
        ) : (
          <Section title={t('Transfers')} className="lg:col-span-2">
            <Table
              wide
              caption={t('Transfers of {number}', { number: batch.number })}
              columns={moveColumns()}
              rows={batch.moves}
              keyOf={({ payment }) => String(payment)}
            />
          </Section>
        )}
        <Section title={t('Transactions')} className="lg:col-span-2">
          <Table
            wide
            caption={t('Transactions of {number}', { number: batch.number })}
            columns={paymentColumns(batch)}
            rows={batch.payments}
            keyOf={({ position }) => String(position)}
          />
        </Section>
        {batch.files.length > 1 && (
          <Section title={t('Files')} className="lg:col-span-2">
            <Table
              caption={t('Files of {number}', { number: batch.number })}
              columns={fileColumns()}
              rows={batch.files}
              keyOf={({ name }) => name}
            />
          </Section>
        )}
      </div>
    </>
  )
}

function Facts({ batch }: { batch: PayoutDetail }) {
  const { asset, files, endedAt, cancelledAt } = batch
  const { fee, change } = files.at(-1)!
  return (
    <DescriptionList
      entries={[
        [t('Amount'), batch.amount === null ? null : <Usd key="amount" value={batch.amount} />],
        [t('Amount in coin'), <CoinText key="coin" of={batch} />],
        [t('Network'), batch.network],
        [
          batch.purpose === 'sweep' ? t('Moved to') : batch.bySafe ? t('Paid from the Safe') : t('Paid from'),
          batch.sender && <GroupedAddress key="sender" address={batch.sender} />,
        ],
        [t('Network fee'), fee && feeWords(fee)],
        [t('Change, back to our wallet'), change && <CoinText key="change" of={{ ...change, asset }} />],
        [t('Change address'), change && <GroupedAddress key="to" address={change.address} />],
        [t('Created by'), batch.createdBy.name],
        [t('Created'), <When key="made" at={batch.createdAt} />],
        [t('Ended', {}, 'when'), endedAt && <When key="ended" at={endedAt} />],
        [t('Cancellation asked'), cancelledAt && <When key="cancelled" at={cancelledAt} />],
        [t('Asked by'), batch.cancelledBy],
        [t('Reason'), batch.cancelReason],
      ]}
    />
  )
}

function purposeWords(purpose: PayoutFileEntry['purpose']): string {
  if (purpose === 'payment') return t('Pays', {}, 'a file')
  return purpose === 'higher_fee' ? t('Pays with a higher fee') : t('Cancels', {}, 'a file')
}

function fileColumns(): readonly Column<PayoutFileEntry>[] {
  return [
    {
      header: t('File'),
      cell: ({ name }) => (
        <bdi dir="ltr" className="wrap-anywhere">
          {name}
        </bdi>
      ),
    },
    { header: t('What it does'), cell: ({ purpose }) => purposeWords(purpose) },
    { header: t('Network fee'), cell: ({ fee }) => (fee === null ? '—' : feeWords(fee)), numeric: true },
    {
      header: t('First downloaded'),
      cell: ({ exportedAt }) => (exportedAt ? <When at={exportedAt} /> : t('Never')),
    },
  ]
}

/** A transaction uses each of these once, so only one transaction can ever pay. */
function paymentColumns({ wallet, asset, purpose, moves }: PayoutDetail): readonly Column<PayoutPayment>[] {
  const isBitcoin = wallet === 'Bitcoin (BTC)'
  const hasNonces = !isBitcoin && wallet !== 'USDT TRC-20'
  const signers = new Map(moves.map(({ payment, from }) => [payment, from]))
  const signer: Column<PayoutPayment> = {
    header: t('Signed by'),
    cell: ({ position }) => <GroupedAddress address={signers.get(position)!} />,
  }
  return [
    ...(purpose === 'sweep' ? [signer] : []),
    {
      header: isBitcoin ? t('Inputs') : hasNonces ? t('Nonce') : t('Planned'),
      cell: ({ slots }) => (
        <span className="grid gap-1">
          {slots.map(({ slot, amountCrypto }) => (
            <span key={slot} className="wrap-anywhere">
              <bdi dir="ltr">
                {hasNonces ? slot.split(':')[1] : slot}
                {amountCrypto !== null && ` (${shortDecimal(amountCrypto)} ${asset})`}
              </bdi>
            </span>
          ))}
        </span>
      ),
    },
    { header: t('Status'), cell: ({ status }) => <PaymentStatus status={status} purpose={purpose} /> },
    {
      header: t('Transaction'),
      cell: ({ usedBy, confirmations, expiresAt }) => (
        <span className="grid gap-1">
          <span className="wrap-anywhere">
            {usedBy === null ? t('Nothing yet') : <bdi dir="ltr">{usedBy}</bdi>}
          </span>
          {confirmations && <Confirmations {...confirmations} />}
          {usedBy === null && expiresAt && (
            <span className="text-ink-soft text-sm">
              {tr('Expires {when}', { when: <When at={expiresAt} /> })}
            </span>
          )}
        </span>
      ),
    },
  ]
}

function columnsOf(batch: PayoutDetail): readonly Column<PayoutItem>[] {
  const { asset } = batch
  return [
    {
      header: t('Withdrawal'),
      cell: ({ withdrawal, invoiceId }) => (
        <Link className="prose-link whitespace-nowrap" to={consolePaths.withdrawal(withdrawal)}>
          {invoiceId}
        </Link>
      ),
    },
    { header: t('User'), cell: item => <OwnerLink row={item} /> },
    { header: t('Address'), cell: ({ address }) => <GroupedAddress address={address} /> },
    { header: t('Amount'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    {
      header: t('Amount in coin'),
      numeric: true,
      cell: ({ amountCrypto }) => <CoinText of={{ amountCrypto, asset }} />,
    },
    { header: t('Status'), cell: item => <ItemStatus item={item} batch={batch} /> },
  ]
}

function moveColumns(): readonly Column<PayoutMove>[] {
  return [
    {
      header: t('Transfer'),
      cell: ({ kind }) =>
        kind === 'sweep' ? t('Deposit to the payout address') : t('Fee to the address of a deposit'),
    },
    { header: t('From', {}, 'an address'), cell: ({ from }) => <GroupedAddress address={from} /> },
    { header: t('To', {}, 'an address'), cell: ({ address }) => <GroupedAddress address={address} /> },
    { header: t('Amount'), cell: move => <CoinText of={move} />, numeric: true },
    { header: t('Status'), cell: move => <MoveStatus move={move} /> },
  ]
}

const moveStates = {
  open: ['wait', msg('Not moved yet')],
  paid: ['good', msg('Moved')],
  released: ['plain', msg('Not moved by this batch')],
} as const

function MoveStatus({ move }: { move: PayoutMove }) {
  const { state, transactionId, alert } = move
  const [tone, words] = moveStates[state]
  const problem = alertWords(move, { asset: move.asset, purpose: 'sweep', bySafe: false })
  return (
    <span className="grid max-w-80 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={problem && !alert?.reviewed ? 'bad' : tone}>
        {state === 'open' && transactionId !== null ? t('On the network') : translate(words)}
      </Badge>
      <Problem words={problem} alert={alert} transactionId={transactionId} />
    </span>
  )
}

const states = {
  open: ['wait', msg('Not paid yet')],
  paid: ['good', msg('Paid')],
  released: ['plain', msg('Not paid by this batch')],
} as const

function ItemStatus({ item, batch }: { item: PayoutItem; batch: PayoutDetail }) {
  const { state, transactionId, frozen, listed } = item
  const [tone, words] = states[state]
  const problem = alertWords(item, batch)
  return (
    <span className="grid max-w-80 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={problem && !item.alert?.reviewed ? 'bad' : tone}>
        {state === 'open' && transactionId !== null ? t('On the network') : translate(words)}
      </Badge>
      {frozen && (
        <span className="text-ink-soft text-sm">
          {t('The account is frozen: we mark this as paid once it is unfrozen.')}
        </span>
      )}
      {listed && (
        <span className="text-start text-bad text-sm">
          {t(
            'The address is on a sanctions list, so we do not send this payment. Cancel the batch, decline this withdrawal, and pay the others in a new batch.',
          )}
        </span>
      )}
      <Problem words={problem} alert={item.alert} transactionId={transactionId} />
    </span>
  )
}

/** An alert in words, its review, and the transactions that it is about. */
function Problem({
  words,
  alert,
  transactionId,
}: Pick<PayoutItem, 'alert' | 'transactionId'> & { words: ReactNode }) {
  return (
    <>
      {words && <span className="text-start text-bad text-sm">{words}</span>}
      {alert?.reviewed && <Reviewed of={alert.reviewed} />}
      {[...new Set([transactionId, alert?.transactionId])].map(
        id =>
          id && (
            <span key={id} className="wrap-anywhere text-ink-faint text-sm">
              {tr('Transaction {id}', { id: <bdi dir="ltr">{id}</bdi> })}
            </span>
          ),
      )}
    </>
  )
}

function Reviewed({
  of: { at, by, note },
}: {
  of: NonNullable<NonNullable<PayoutItem['alert']>['reviewed']>
}) {
  return (
    <span className="text-start text-ink-soft text-sm">
      {tr('Reviewed by {name}, {when}: {note}', {
        name: <bdi>{by}</bdi>,
        when: <When at={at} />,
        note: <bdi>{note}</bdi>,
      })}
    </span>
  )
}

/** Alerts that nobody has reviewed. */
function openAlerts({ items, moves }: PayoutDetail) {
  return [...items, ...moves].flatMap(({ alert }) =>
    alert !== null && alert.reviewed === null ? [alert] : [],
  )
}

function actionsOf(batch: PayoutDetail): Action[] {
  const alerts = openAlerts(batch)
  const acknowledge: Action = {
    label: t('Mark reviewed'),
    call: acknowledgePayout,
    of: batch.number,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={acknowledgePayout}
        title={t('Mark as reviewed?')}
        description={t('This only clears the alert. No money moves; new problems will raise a new alert.')}
        entries={[
          [t('Batch'), batch.number],
          [
            batch.purpose === 'payout' ? t('Withdrawals with an alert') : t('Transfers with an alert'),
            number(alerts.length),
          ],
        ]}
        confirm={t('Mark reviewed')}
        input={reason => ({
          params: { id: batch._id },
          body: { reason, transactions: [...new Set(alerts.map(({ transactionId }) => transactionId))] },
        })}
        onClose={close}
      />
    ),
  }
  return [...(alerts.length > 0 ? [acknowledge] : []), ...openActions(batch)]
}

function openActions(batch: PayoutDetail): Action[] {
  const open = batch.payments.filter(isOpen)
  if (open.length === 0) return []
  const isMined = open.every(({ confirmations }) => confirmations !== null)
  const wasSeen = open.some(({ status, confirmations }) => status !== 'drafted' && confirmations === null)
  const raise: Action = {
    label: t('Raise the fee'),
    call: raisePayoutFee,
    of: batch.number,
    dialog: close => <RaiseFee batch={batch} onClose={close} />,
  }
  const cancel: Action = {
    label: t('Cancel batch'),
    call: cancelPayout,
    of: batch.number,
    tone: 'danger',
    dialog: close => <CancelPayout batch={batch} onClose={close} />,
  }
  return [
    ...(wasSeen && batch.wallet !== 'USDT TRC-20' && !batch.bySafe ? [raise] : []),
    ...(isMined || batch.cancelledAt !== null ? [] : [cancel]),
  ]
}
