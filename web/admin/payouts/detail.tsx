import { Link } from 'react-router'
import {
  acknowledgePayout,
  cancelPayout,
  getPayout,
  type PayoutDetail,
  type PayoutItem,
  payoutFile,
  takeOverPayout,
} from '#shared/contract/payouts.ts'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { useDownload } from '#web/api/download.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CancelPayout } from './cancel.tsx'
import { alertWords, CoinText, PayoutStatus } from './parts.tsx'

export const meta = pageMeta('Payout batch')

/** `/admin/payout?id=`: a batch, its file, and the status of its withdrawals. */
export default function PayoutPage() {
  return (
    <DetailPage
      call={getPayout}
      title="Payout batch"
      of="payout batch"
      elsewhere="Pick a batch from the list of payouts."
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
          <>
            Payout batch <span className="whitespace-nowrap">{batch.number}</span>
          </>
        }
        lead={<PayoutStatus batch={batch} />}
        aside={<Actions actions={actionsOf(batch)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title="What to do">
          <WhatToDo batch={batch} />
        </Section>
        <Section title="Batch">
          <Facts batch={batch} />
        </Section>
        <Section title="Withdrawals" className="lg:col-span-2">
          <Table
            wide
            caption={`Withdrawals of ${batch.number}`}
            columns={columnsOf(batch)}
            rows={batch.items}
            keyOf={({ withdrawal }) => withdrawal}
          />
        </Section>
        {batch.inputs.length > 0 && (
          <Section title="Inputs" className="lg:col-span-2">
            <Table
              caption="Outputs that this batch spends"
              columns={[
                {
                  header: 'Outpoint',
                  cell: ({ outpoint }) => <span className="wrap-anywhere">{outpoint}</span>,
                },
                {
                  header: 'Amount',
                  numeric: true,
                  cell: ({ amountCrypto }) => <CoinText of={{ amountCrypto, asset: batch.asset }} />,
                },
              ]}
              rows={batch.inputs}
              keyOf={({ outpoint }) => outpoint}
            />
          </Section>
        )}
      </div>
    </>
  )
}

function isOpen({ status }: PayoutDetail): boolean {
  return status === 'open' || status === 'seen'
}

/** True if every transfer still due was seen on the network. */
function isBroadcast({ items }: PayoutDetail): boolean {
  return items.every(({ state, transactionId }) => state !== 'open' || transactionId !== null)
}

/** The next steps for the assignee, or an explanation for everybody else. */
function WhatToDo({ batch }: { batch: PayoutDetail }) {
  const { run, pending } = useDownload(payoutFile)
  if (!isOpen(batch)) return <p className="text-ink-soft">{closedWords(batch)}</p>
  if (isBroadcast(batch)) {
    return (
      <p className="text-ink-soft">
        This batch is on the network and can no longer be cancelled. There is nothing left to do: each
        withdrawal is marked paid automatically.
      </p>
    )
  }
  const { assignee, file } = batch
  const isAssignee = isOwn(assignee._id) && mayCall(payoutFile)
  if (isAssignee && hasExpired(batch)) {
    return (
      <p className="text-ink-soft">
        This file has expired: do not sign it any more. Cancel the batch and create a new one.
      </p>
    )
  }
  return (
    <div className="grid gap-4">
      {isAssignee && !canDownload(batch) && (
        <p className="text-ink-soft">
          A payment of this batch was seen on the network. You cannot download its file again, so that nothing
          is sent twice: broadcast the transactions you have already signed.
        </p>
      )}
      {isAssignee && canDownload(batch) && (
        <ol className="grid list-decimal gap-2 pl-5 text-ink-soft">
          <li>Download the file and check its SHA-256 where you sign it.</li>
          <li>{signWords(batch)}</li>
          <li>Broadcast it once. We watch the network and mark each withdrawal as paid automatically.</li>
        </ol>
      )}
      {!isAssignee && (
        <p className="text-ink-soft">
          {assignee.name} is responsible for this batch: only they may sign and broadcast it.
          {batch.refusals.takeOver === null && ` Take it over only once ${assignee.name} will not.`}
        </p>
      )}
      {refusalsIn(batch).map(words => (
        <p key={words} className="text-ink-soft">
          {words}
        </p>
      ))}
      {isAssignee && canDownload(batch) && (
        <div>
          <Button busy={pending} onClick={() => void run({ params: { id: batch._id } })}>
            Download {file.name}
          </Button>
        </div>
      )}
      <p className="wrap-anywhere text-ink-faint text-sm">SHA-256 {file.sha256}</p>
    </div>
  )
}

/** Why this page does not offer to cancel or take over the batch. */
function refusalsIn({ assignee, refusals: { cancel, takeOver } }: PayoutDetail): string[] {
  const shown = isOwn(assignee._id) ? [cancel] : [takeOver, cancel]
  return shown.filter(words => words !== null)
}

function hasExpired({ expiresAt }: PayoutDetail): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now()
}

/** Separate transfers signed twice are paid twice: once one was seen, nobody can download their file. */
function canDownload({ sender, seenAt }: PayoutDetail): boolean {
  return sender === null || seenAt === null
}

function signWords({ wallet, network }: PayoutDetail): string {
  if (wallet === 'Bitcoin (BTC)') {
    return 'Open the PSBT in your wallet, compare every address and amount on the device, and sign.'
  }
  if (wallet === 'USDT TRC-20') {
    return `Sign each transaction of the file for ${network} unchanged, comparing every address and amount on the device.`
  }
  return `Sign each transfer of the file for ${network} with exactly its nonce, comparing every address and amount on the device.`
}

function closedWords({ status, paid, count, cancelReason }: PayoutDetail): string {
  if (status === 'cancelled') {
    const rest = paid > 0 ? ` ${paid} of ${count} had been paid.` : ''
    return `Cancelled: ${cancelReason}.${rest} Do not sign or broadcast its file.`
  }
  return 'Every withdrawal in this batch is settled. We watch the network for a few more weeks, in case of a reorg.'
}

function Facts({ batch }: { batch: PayoutDetail }) {
  const { asset, fee, change, exportedAt, seenAt, paidAt, cancelledAt } = batch
  return (
    <DescriptionList
      entries={[
        ['Amount', <Usd key="amount" value={batch.amount} />],
        ['Amount in coin', <CoinText key="coin" of={batch} />],
        ['Network', batch.network],
        ['Paid from', batch.sender && <GroupedAddress key="sender" address={batch.sender} />],
        ['Network fee', fee && `${fee.amountCrypto} ${asset}, ${fee.rate} sat/vB`],
        ['Change', change && <CoinText key="change" of={{ ...change, asset }} />],
        ['Change address', change && <GroupedAddress key="to" address={change.address} />],
        ['Created by', batch.createdBy.name],
        ['Created', <When key="made" at={batch.createdAt} />],
        ['Assigned to', batch.assignee.name],
        ['Expires', batch.expiresAt && <When key="expires" at={batch.expiresAt} />],
        ['First downloaded', exportedAt && <When key="exported" at={exportedAt} />],
        ['First seen', seenAt && <When key="seen" at={seenAt} />],
        ['Paid', paidAt && <When key="paid" at={paidAt} />],
        ['Cancelled', cancelledAt && <When key="cancelled" at={cancelledAt} />],
        ['Cancelled by', batch.cancelledBy],
      ]}
    />
  )
}

function columnsOf(batch: PayoutDetail): readonly Column<PayoutItem>[] {
  const { asset, items } = batch
  return [
    {
      header: 'Withdrawal',
      cell: ({ withdrawal, invoiceId }) => (
        <Link className="prose-link whitespace-nowrap" to={paths.admin.withdrawal(withdrawal)}>
          {invoiceId}
        </Link>
      ),
    },
    { header: 'User', cell: item => <OwnerLink row={item} /> },
    { header: 'Address', cell: ({ address }) => <GroupedAddress address={address} /> },
    { header: 'Amount', cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    {
      header: 'Amount in coin',
      numeric: true,
      cell: ({ amountCrypto }) => <CoinText of={{ amountCrypto, asset }} />,
    },
    ...(items.some(({ nonce }) => nonce !== null)
      ? [{ header: 'Nonce', numeric: true, cell: ({ nonce }: PayoutItem) => nonce ?? '—' }]
      : []),
    { header: 'On the network', cell: item => <ItemStatus item={item} batch={batch} /> },
  ]
}

const states = {
  open: ['wait', 'Not seen yet'],
  paid: ['good', 'Paid'],
  released: ['plain', 'Not paid by this batch'],
} as const

function openWords({ transactionId, alert }: PayoutItem): string {
  if (alert?.kind === 'wrong_amount') return 'Wrong amount'
  return transactionId === null ? 'Not seen yet' : 'Seen'
}

function ItemStatus({ item, batch }: { item: PayoutItem; batch: PayoutDetail }) {
  const { state, transactionId, confirmations, frozen } = item
  const [tone, words] = states[state]
  const problem = alertWords(item, batch)
  return (
    <span className="grid max-w-80 justify-items-end gap-1 sm:justify-items-start">
      <Badge tone={problem && !item.alert?.reviewed ? 'bad' : tone}>
        {state === 'open' ? openWords(item) : words}
      </Badge>
      {state === 'open' && confirmations && <Confirmations {...confirmations} />}
      {frozen && (
        <span className="text-ink-soft text-sm">
          The account is frozen: we mark this as paid once it is unfrozen.
        </span>
      )}
      {problem && <span className="text-bad text-sm">{problem}</span>}
      {item.alert?.reviewed && <Reviewed of={item.alert.reviewed} />}
      {[...new Set([transactionId, item.alert?.transactionId])].map(
        id =>
          id && (
            <span key={id} className="wrap-anywhere text-ink-faint text-sm">
              Transaction {id}
            </span>
          ),
      )}
    </span>
  )
}

function Reviewed({
  of: { at, by, note },
}: {
  of: NonNullable<NonNullable<PayoutItem['alert']>['reviewed']>
}) {
  return (
    <span className="text-ink-soft text-sm">
      Reviewed by {by}, <When at={at} />: {note}
    </span>
  )
}

/** Alerts that nobody has reviewed. */
function openAlerts({ items }: PayoutDetail) {
  return items.flatMap(({ alert }) => (alert !== null && alert.reviewed === null ? [alert] : []))
}

function actionsOf(batch: PayoutDetail): Action[] {
  const alerts = openAlerts(batch)
  const acknowledge: Action = {
    label: 'Mark reviewed',
    call: acknowledgePayout,
    of: batch.number,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={acknowledgePayout}
        title="Mark as reviewed?"
        description="This only clears the alert. No money moves; new problems will raise a new alert."
        entries={[
          ['Batch', batch.number],
          ['Withdrawals with an alert', alerts.length],
        ]}
        confirm="Mark reviewed"
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
  if (!isOpen(batch)) return []
  const takeOver: Action = {
    label: 'Take over',
    call: takeOverPayout,
    of: batch.number,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={takeOverPayout}
        title="Take over this batch?"
        description={`${batch.assignee.name} will no longer be able to download its file. First make sure that they have not broadcast it and will not.`}
        entries={[['Batch', batch.number]]}
        confirm="Take over"
        input={reason => ({ params: { id: batch._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
  const cancel: Action = {
    label: 'Cancel',
    call: cancelPayout,
    of: batch.number,
    tone: 'danger',
    dialog: close => <CancelPayout batch={batch} onClose={close} />,
  }
  // 'What to do' explains why an action is missing.
  return [
    ...(isOwn(batch.assignee._id) || batch.refusals.takeOver !== null ? [] : [takeOver]),
    ...(batch.refusals.cancel === null ? [cancel] : []),
  ]
}
