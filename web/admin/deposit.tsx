import { Link } from 'react-router'
import { listTransfers } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { getDeposit } from '#shared/contract/deposits.ts'
import { withCommas } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Amount, Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { DepositFlagBadge, DepositStanding } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { Actions } from './acts/actions.tsx'
import { depositActions } from './acts/deposit.tsx'
import { DetailPage } from './detail-page.tsx'
import { Investor } from './investor.tsx'
import { Posted } from './posted.tsx'

export const meta = pageMeta('Deposit')

type Detail = CallData<typeof getDeposit>

/** `/admin/deposit?id=`: a deposit, its payment, what happened to it and what it posted. */
export default function DepositPage() {
  return (
    <DetailPage
      call={getDeposit}
      title="Deposit"
      of="deposit"
      elsewhere="Choose one in the console's list of deposits."
    >
      {deposit => <DepositDetail deposit={deposit} />}
    </DetailPage>
  )
}

function DepositDetail({ deposit }: { deposit: Detail }) {
  return (
    <>
      <PageHead
        title={`Deposit ${deposit.invoiceId}`}
        lead={<Standing deposit={deposit} />}
        aside={<Actions actions={depositActions(deposit)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title="Payment">
          <Payment deposit={deposit} />
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title="Investor">
            <Investor id={deposit.user} />
          </Section>
          <Section title="History">
            <Timeline entries={deposit.history} />
          </Section>
        </div>
        <Transfers deposit={deposit} />
        <Posted id={deposit._id} className="lg:col-span-2" />
      </div>
    </>
  )
}

function Standing({ deposit }: { deposit: Detail }) {
  return (
    <span className="flex flex-wrap gap-2">
      <DepositStanding deposit={deposit} />
      {deposit.flags.map(flag => (
        <DepositFlagBadge key={flag} flag={flag} />
      ))}
    </span>
  )
}

type Transfer = CallData<typeof listTransfers>[number]

const transferColumns: readonly Column<Transfer>[] = [
  { header: 'Seen', cell: ({ seenAt }) => <When at={seenAt} /> },
  { header: 'Amount', cell: ({ amount }) => <Amount>{withCommas(amount)}</Amount>, numeric: true },
  { header: 'On the network', cell: transfer => <TransferStanding transfer={transfer} /> },
  {
    header: 'Credited',
    numeric: true,
    cell: ({ credited }) => (credited === null ? '—' : <Usd value={credited} />),
  },
  {
    header: 'Transaction',
    cell: ({ transactionId }) => <span className="wrap-anywhere text-sm">{transactionId}</span>,
  },
]

const asideWords = {
  dust: 'Too little to count',
  wrong_asset: 'Another coin than was asked for',
  own: 'Sent by the firm’s own wallet',
} as const

function TransferStanding({ transfer }: { transfer: Transfer }) {
  const { block, isGone, setAside, confirmations } = transfer
  return (
    <span className="grid justify-items-end gap-1 sm:justify-items-start">
      {isGone ? 'Replaced or dropped' : block === null ? 'In no block yet' : `Block ${block.height}`}
      {confirmations && confirmations.have < confirmations.needed && <Confirmations {...confirmations} />}
      {setAside && <span className="text-bad text-sm">{asideWords[setAside]}</span>}
    </span>
  )
}

/** What its network has shown at an address of its own; nothing of one that is paid at the firm's fixed address. */
function Transfers({ deposit }: { deposit: Detail }) {
  const { data } = useRead(listTransfers, { params: { id: deposit._id } })
  if (!data || data.length === 0) return null
  return (
    <Section title="Seen on the network" className="lg:col-span-2">
      <Table
        caption={`Transfers to the address of ${deposit.invoiceId}`}
        columns={transferColumns}
        rows={data}
        keyOf={({ _id }) => _id}
      />
    </Section>
  )
}

function InvestmentLink({ deposit: { investment, investmentInvoiceId } }: { deposit: Detail }) {
  return (
    <Link className="prose-link" to={paths.admin.investment(investment ?? '')}>
      {investmentInvoiceId ?? 'the investment'}
    </Link>
  )
}

function Payment({ deposit }: { deposit: Detail }) {
  const { method, payment } = deposit
  return (
    <DescriptionList
      entries={[
        ['Where it stands', deposit.label],
        ['Pays for', deposit.investment && <InvestmentLink key="investment" deposit={deposit} />],
        ['Amount', <Usd key="usd" value={deposit.amount} />],
        ['Still to come', deposit.missing && `${withCommas(deposit.missing)} ${payment.asset}`],
        [
          'Taken back and spent',
          deposit.shortfall > 0 ? <Usd key="short" value={deposit.shortfall} /> : null,
        ],
        ['Amount asked for', <Coin key="coin" method={method} payment={payment} />],
        ['Paid by', methodLabel(method)],
        ['Network', payment.network],
        ['Payment address', <GroupedAddress key="address" address={payment.address} />],
        ['Rate', `1 ${payment.asset} = $${payment.rate}`],
        ['Rate of', <When key="rate" at={payment.rateAt} />],
        ['Source of the rate', payment.rateSource],
        ['Requested', <When key="created" at={deposit.createdAt} />],
        ['Rate locked until', <When key="until" at={payment.expiresAt} />],
        ['What arrived', deposit.received && `${withCommas(deposit.received)} ${payment.asset}`],
        ['Arrived', deposit.arrivedAt && <When key="arrived" at={deposit.arrivedAt} />],
        ['Rate of its arrival', deposit.arrivalRate && `1 ${payment.asset} = $${deposit.arrivalRate}`],
        ['Source of that rate', deposit.arrivalRateSource],
        ['Credited', deposit.credited === null ? null : <Usd key="credited" value={deposit.credited} />],
        ['Transaction id', deposit.transactionId],
        ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        ['Why it was declined', deposit.declineReason],
      ]}
    />
  )
}
