import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getDeposit } from '#shared/contract/deposits.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { Posted } from '#web/admin/ledger-entries.tsx'
import { Investor } from '#web/admin/users/investor.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Coin, shortDecimal } from '#web/components/crypto.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { DepositStanding } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { Transfers } from '#web/components/transfers.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { inLocalTime } from '#web/local-time.ts'
import { pageMeta } from '#web/meta.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Numbered, PageHead, Section } from '#web/ui/section.tsx'
import { depositActions } from './actions.tsx'
import { DepositFlagBadge } from './flags.tsx'

export const meta = pageMeta(msg('Deposit'))

type Detail = CallData<typeof getDeposit>

/** `/admin/deposit?id=`: a deposit with its payment, history and postings. */
export default function DepositPage() {
  return (
    <DetailPage
      call={getDeposit}
      title={t('Deposit')}
      of="deposit"
      elsewhere="Pick a deposit from the console."
    >
      {deposit => <DepositDetail deposit={deposit} />}
    </DetailPage>
  )
}

function DepositDetail({ deposit }: { deposit: Detail }) {
  return (
    <>
      <PageHead
        title={<Numbered name="Deposit" number={deposit.invoiceId} />}
        lead={<Standing deposit={deposit} />}
        aside={<Actions actions={depositActions(deposit)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('Payment')}>
          <Payment deposit={deposit} />
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title={t('Investor')}>
            <Investor id={deposit.user} />
          </Section>
          <Section title={t('History')}>
            <Timeline entries={deposit.history} />
          </Section>
        </div>
        {deposit.transfers.length > 0 && (
          <Section title={t('Seen on the network')} className="lg:col-span-2">
            <Transfers of={deposit.invoiceId} transfers={deposit.transfers} more={deposit.moreTransfers} />
          </Section>
        )}
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

function InvestmentLink({ deposit: { investment, investmentInvoiceId } }: { deposit: Detail }) {
  return (
    <Link className="prose-link" to={consolePaths.investment(investment ?? '')}>
      {investmentInvoiceId ?? 'the investment'}
    </Link>
  )
}

function Payment({ deposit }: { deposit: Detail }) {
  const { method, payment } = deposit
  return (
    <DescriptionList
      entries={[
        ['State', inLocalTime(deposit.label)],
        ['Pays for', deposit.investment && <InvestmentLink key="investment" deposit={deposit} />],
        ['Amount', <Usd key="usd" value={deposit.amount} />],
        ['Missing', deposit.missing && `${withCommas(shortDecimal(deposit.missing))} ${payment.asset}`],
        ['Debt from a reversal', deposit.debt > 0 ? <Usd key="short" value={deposit.debt} /> : null],
        ['Amount requested', <Coin key="coin" method={method} payment={payment} />],
        ['Paid by', methodLabel(method)],
        ['Network', payment.network],
        ['Payment address', <GroupedAddress key="address" address={payment.address} />],
        ['Rate', `1 ${payment.asset} = $${payment.rate}`],
        ['Time of the rate', <When key="rate" at={payment.rateAt} />],
        ['Source of the rate', payment.rateSource],
        ['Requested', <When key="created" at={deposit.createdAt} />],
        ['Rate locked until', <When key="until" at={payment.expiresAt} />],
        ['Received', deposit.received && `${withCommas(shortDecimal(deposit.received))} ${payment.asset}`],
        ['Arrived', deposit.arrivedAt && <When key="arrived" at={deposit.arrivedAt} />],
        ['Rate at its arrival', deposit.arrivalRate && `1 ${payment.asset} = $${deposit.arrivalRate}`],
        ['Source of that rate', deposit.arrivalRateSource],
        ['Credited', deposit.credited === null ? null : <Usd key="credited" value={deposit.credited} />],
        ['Transaction id', deposit.transactionId],
        ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        ['Decline reason', deposit.declineReason],
        ['Cancelled by', deposit.cancelled ? 'The investor' : null],
      ]}
    />
  )
}
