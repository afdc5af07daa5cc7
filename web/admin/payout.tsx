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
import { type Action, Actions } from './acts/actions.tsx'
import { ReasonDialog } from './acts/reason.tsx'
import { DetailPage } from './detail-page.tsx'
import { CancelPayout } from './payouts/cancel.tsx'
import { alertWords, CoinText, PayoutStatus } from './payouts/parts.tsx'
import { OwnerLink } from './person.tsx'
import { isOwn, mayCall } from './rights.ts'

export const meta = pageMeta('Payout batch')

/** `/admin/payout?id=`: a batch, its file, and what was seen of each of its withdrawals. */
export default function PayoutPage() {
  return (
    <DetailPage
      call={getPayout}
      title="Payout batch"
      of="payout batch"
      elsewhere="Choose one in the list of payouts."
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
          <Section title="What it spends" className="lg:col-span-2">
            <Table
              caption="Outputs that the batch spends"
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

function isUnderWay({ status }: PayoutDetail): boolean {
  return status === 'open' || status === 'seen'
}

/** Whatever it still has to pay was seen on the network. */
function isSent({ items }: PayoutDetail): boolean {
  return items.every(({ state, transactionId }) => state !== 'open' || transactionId !== null)
}

/** The steps that are left, for whoever holds the file, and words for everybody else. */
function WhatToDo({ batch }: { batch: PayoutDetail }) {
  const { run, pending } = useDownload(payoutFile)
  if (!isUnderWay(batch)) return <p className="text-ink-soft">{ended(batch)}</p>
  if (isSent(batch)) {
    return (
      <p className="text-ink-soft">
        All of it is on the network: nothing is left to do, and it cannot be cancelled any more. Each
        withdrawal is marked as paid by itself.
      </p>
    )
  }
  const { assignee, file } = batch
  const isAssignee = isOwn(assignee._id) && mayCall(payoutFile)
  if (isAssignee && hasExpired(batch)) {
    return (
      <p className="text-ink-soft">
        The time in which it could be sent is over: nothing more of it is to be signed. Cancel it and make
        another batch.
      </p>
    )
  }
  return (
    <div className="grid gap-4">
      {isAssignee && !givesFile(batch) && (
        <p className="text-ink-soft">
          Some of it was seen on the network. Its file is not given out again, so that nothing is sent twice:
          send what you have signed of it already.
        </p>
      )}
      {isAssignee && givesFile(batch) && (
        <ol className="grid list-decimal gap-2 pl-5 text-ink-soft">
          <li>Download the file and check its SHA-256 where you sign it.</li>
          <li>{signWords(batch)}</li>
          <li>
            Send it once. Nothing is left to do here: the network is watched, and each withdrawal is marked as
            paid by itself.
          </li>
        </ol>
      )}
      {!isAssignee && (
        <p className="text-ink-soft">
          {assignee.name} holds this batch: one person alone signs and sends it.
          {batch.refusals.takeOver === null && ` Take it over only once ${assignee.name} will not.`}
        </p>
      )}
      {refusalsIn(batch).map(words => (
        <p key={words} className="text-ink-soft">
          {words}
        </p>
      ))}
      {isAssignee && givesFile(batch) && (
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

/** Why what is not offered here cannot be done. */
function refusalsIn({ assignee, refusals: { cancel, takeOver } }: PayoutDetail): string[] {
  const told = isOwn(assignee._id) ? [cancel] : [takeOver, cancel]
  return told.filter(words => words !== null)
}

function hasExpired({ expiresAt }: PayoutDetail): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now()
}

/** What separate transfers sign is paid twice where it is signed twice: once some were seen, the file is not given out any more. */
function givesFile({ sender, seenAt }: PayoutDetail): boolean {
  return sender === null || seenAt === null
}

function signWords({ wallet, network }: PayoutDetail): string {
  if (wallet === 'Bitcoin (BTC)') {
    return 'Open the PSBT in your wallet, compare every address and amount on the device, and sign.'
  }
  if (wallet === 'USDT TRC-20') {
    return `Sign each transaction of the file for ${network} as it stands, comparing every address and amount on the device.`
  }
  return `Sign each transfer of the file for ${network} with its nonce and no other, comparing every address and amount on the device.`
}

function ended({ status, paid, count, cancelReason }: PayoutDetail): string {
  if (status === 'cancelled') {
    const rest = paid > 0 ? ` ${paid} of ${count} had been paid.` : ''
    return `Cancelled: ${cancelReason}.${rest} Do not sign or send its file any more.`
  }
  return 'Every withdrawal of it is settled. The network is watched for some weeks more, in case it replaces blocks.'
}

function Facts({ batch }: { batch: PayoutDetail }) {
  const { asset, fee, change, exportedAt, seenAt, paidAt, cancelledAt } = batch
  return (
    <DescriptionList
      entries={[
        ['Amount', <Usd key="amount" value={batch.amount} />],
        ['Paid in the coin', <CoinText key="coin" of={batch} />],
        ['Network', batch.network],
        ['Paid from', batch.sender && <GroupedAddress key="sender" address={batch.sender} />],
        ['Network fee', fee && `${fee.amountCrypto} ${asset}, ${fee.rate} sat/vB`],
        ['Change', change && <CoinText key="change" of={{ ...change, asset }} />],
        ['Change address', change && <GroupedAddress key="to" address={change.address} />],
        ['Made by', batch.createdBy.name],
        ['Made', <When key="made" at={batch.createdAt} />],
        ['Held by', batch.assignee.name],
        ['Can be sent until', batch.expiresAt && <When key="expires" at={batch.expiresAt} />],
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
      header: 'In the coin',
      numeric: true,
      cell: ({ amountCrypto }) => <CoinText of={{ amountCrypto, asset }} />,
    },
    ...(items.some(({ nonce }) => nonce !== null)
      ? [{ header: 'Nonce', numeric: true, cell: ({ nonce }: PayoutItem) => nonce ?? '—' }]
      : []),
    { header: 'On the network', cell: item => <ItemStanding item={item} batch={batch} /> },
  ]
}

const states = {
  open: ['wait', 'Not seen yet'],
  paid: ['good', 'Paid'],
  released: ['plain', 'Not paid by this batch'],
} as const

function openWords({ transactionId, alert }: PayoutItem): string {
  if (alert?.kind === 'wrong_amount') return 'Another amount'
  return transactionId === null ? 'Not seen yet' : 'Seen'
}

function ItemStanding({ item, batch }: { item: PayoutItem; batch: PayoutDetail }) {
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
        <span className="text-ink-soft text-sm">The account is frozen: marked as paid once that ends.</span>
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
      {by} has looked at it, <When at={at} />: {note}
    </span>
  )
}

/** What is wrong with it that nobody has looked at. */
function alertsOf({ items }: PayoutDetail) {
  return items.flatMap(({ alert }) => (alert !== null && alert.reviewed === null ? [alert] : []))
}

function actionsOf(batch: PayoutDetail): Action[] {
  const alerts = alertsOf(batch)
  const looked: Action = {
    label: 'Mark as looked at',
    call: acknowledgePayout,
    of: batch.number,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={acknowledgePayout}
        title="Mark as looked at?"
        description="It is not listed among the payouts to look at any more. Nothing is paid or set free by it, and what comes later is told anew."
        entries={[
          ['Batch', batch.number],
          ['Withdrawals it is about', alerts.length],
        ]}
        confirm="Mark as looked at"
        input={reason => ({
          params: { id: batch._id },
          body: { reason, transactions: [...new Set(alerts.map(({ transactionId }) => transactionId))] },
        })}
        onClose={close}
      />
    ),
  }
  return [...(alerts.length > 0 ? [looked] : []), ...underWay(batch)]
}

function underWay(batch: PayoutDetail): Action[] {
  if (!isUnderWay(batch)) return []
  const takeOver: Action = {
    label: 'Take over',
    call: takeOverPayout,
    of: batch.number,
    dialog: close => (
      <ReasonDialog
        reader="log"
        call={takeOverPayout}
        title="Take this batch over?"
        description={`${batch.assignee.name} cannot download its file any more. Make sure first that ${batch.assignee.name} has not sent it and will not.`}
        entries={[['Batch', batch.number]]}
        confirm="Take it over"
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
  // What can only be refused is not offered: 'What to do' says why.
  return [
    ...(isOwn(batch.assignee._id) || batch.refusals.takeOver !== null ? [] : [takeOver]),
    ...(batch.refusals.cancel === null ? [cancel] : []),
  ]
}
