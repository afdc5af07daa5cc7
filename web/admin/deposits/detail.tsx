import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getDeposit } from '#shared/contract/deposits.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { Posted } from '#web/admin/ledger-entries.tsx'
import { Investor } from '#web/admin/users/investor.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
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
import { coinsOf, depositActions } from './actions.tsx'
import { DepositFlagBadge } from './flags.tsx'

export const meta = pageMeta(msg('Deposit'))

type Detail = CallData<typeof getDeposit>

/** `/admin/deposit?id=`: a deposit with its payment, history and postings. */
export default function DepositPage() {
  return (
    <DetailPage
      call={getDeposit}
      title={t('Deposit')}
      of={t('deposit')}
      elsewhere={t('Pick a deposit from the console.')}
    >
      {deposit => <DepositDetail deposit={deposit} />}
    </DetailPage>
  )
}

function DepositDetail({ deposit }: { deposit: Detail }) {
  return (
    <>
      <PageHead
        title={<Numbered name={t('Deposit')} number={deposit.invoiceId} />}
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
      {investmentInvoiceId ?? t('the investment')}
    </Link>
  )
}

function Payment({ deposit }: { deposit: Detail }) {
  const { method, payment } = deposit
  const ratedAt = (rate: string) => `1 ${payment.asset} = ${localRate(rate)}`
  return (
    <DescriptionList
      entries={[
        [t('State'), inLocalTime(deposit.label)],
        [t('Pays for'), deposit.investment && <InvestmentLink key="investment" deposit={deposit} />],
        [t('Amount'), <Usd key="usd" value={deposit.amount} />],
        [t('Missing'), coinsOf(deposit, deposit.missing)],
        [t('Debt from a reversal'), deposit.debt > 0 ? <Usd key="short" value={deposit.debt} /> : null],
        [t('Amount requested'), <Coin key="coin" method={method} payment={payment} />],
        [t('Paid by'), methodLabel(method)],
        [t('Network'), payment.network],
        [t('Payment address'), <GroupedAddress key="address" address={payment.address} />],
        [t('Rate'), ratedAt(payment.rate)],
        [t('Time of the rate'), <When key="rate" at={payment.rateAt} />],
        [t('Source of the rate'), sourceWords(payment.rateSource)],
        [t('Requested'), <When key="created" at={deposit.createdAt} />],
        [t('Rate locked until'), <When key="until" at={payment.expiresAt} />],
        [t('Received'), coinsOf(deposit, deposit.received)],
        [t('Arrived', {}, 'when'), deposit.arrivedAt && <When key="arrived" at={deposit.arrivedAt} />],
        [t('Rate at its arrival'), deposit.arrivalRate && ratedAt(deposit.arrivalRate)],
        [t('Source of that rate'), deposit.arrivalRateSource && sourceWords(deposit.arrivalRateSource)],
        [t('Credited'), deposit.credited === null ? null : <Usd key="credited" value={deposit.credited} />],
        [t('Transaction id'), deposit.transactionId],
        [t('Settled'), deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        [t('Decline reason'), deposit.declineReason],
        [t('Cancelled by'), deposit.cancelled ? t('The investor') : null],
      ]}
    />
  )
}
