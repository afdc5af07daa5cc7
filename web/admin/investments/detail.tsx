import { Link } from 'react-router'
import { getUser } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { depositActions } from '#web/admin/deposits/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { addEarningsAction } from '#web/admin/earnings/add-earnings.tsx'
import { WaitsFor } from '#web/admin/identity/waits.tsx'
import { Posted } from '#web/admin/ledger-entries.tsx'
import { Investor } from '#web/admin/users/investor.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { InvestmentBadges, InvestmentEarnings, InvestmentTerms } from '#web/components/investment-parts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { DepositStatus } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Numbered, PageHead, Section } from '#web/ui/section.tsx'
import { investmentActions } from './actions.tsx'

export const meta = pageMeta(msg('Investment'))

type Detail = CallData<typeof getInvestment>

/** `/admin/investment?id=` (N-10). */
export default function InvestmentPage() {
  return (
    <DetailPage
      call={getInvestment}
      title={t('Investment')}
      of={t('investment')}
      elsewhere={t('Pick an investment from the console.')}
    >
      {investment => <InvestmentDetail investment={investment} />}
    </DetailPage>
  )
}

/** Its actions; adding earnings also depends on its investor. */
function InvestmentActions({ investment }: { investment: Detail }) {
  const { data: owner } = useRead(getUser, { params: { id: investment.user } })
  const addsEarnings = investment.status === 'active' && owner
  return (
    <Actions
      actions={[
        ...(addsEarnings ? [addEarningsAction(owner, investment)] : []),
        ...investmentActions(investment),
      ]}
      none={null}
    />
  )
}

function InvestmentDetail({ investment }: { investment: Detail }) {
  return (
    <>
      <PageHead
        title={<Numbered name={t('{plan},', { plan: investment.plan })} number={investment.invoiceId} />}
        lead={<InvestmentBadges investment={investment} />}
        aside={<InvestmentActions investment={investment} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('Terms')}>
          <InvestmentTerms investment={investment} />
          {investment.waitsFor && (
            <p className="mt-4">
              <WaitsFor kind={investment.waitsFor} user={investment.user} />
            </p>
          )}
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title={t('Investor')}>
            <Investor id={investment.user} />
          </Section>
          <Section title={t('Payment')}>
            <Payment deposit={investment.deposit} amount={investment.amount} />
          </Section>
        </div>
        <Section title={t('Earnings')} className="lg:col-span-2">
          <InvestmentEarnings earnings={investment.earnings} />
        </Section>
        <Posted id={investment._id} className="lg:col-span-2" />
        <Section title={t('History')} className="lg:col-span-2">
          <Timeline entries={investment.history} />
        </Section>
      </div>
    </>
  )
}

function Payment({ deposit, amount }: { deposit: Deposit | null; amount: number }) {
  if (deposit === null) {
    return (
      <DescriptionList
        entries={[
          [t('Paid by'), methodLabel('balance')],
          [t('Amount'), <Usd key="usd" value={amount} />],
        ]}
      />
    )
  }
  const { method, payment } = deposit
  return (
    <>
      <DescriptionList
        entries={[
          [
            t('Deposit'),
            <Link key="deposit" className="prose-link" to={consolePaths.deposit(deposit._id)}>
              {deposit.invoiceId}
            </Link>,
          ],
          [t('Status'), <DepositStatus key="status" deposit={deposit} />],
          [t('State'), deposit.label],
          [t('Paid by'), methodLabel(method)],
          [t('Amount'), <Usd key="usd" value={deposit.amount} />],
          [t('Amount requested'), <Coin key="coin" method={method} payment={payment} />],
          [t('Payment address'), payment.address],
          [t('Settled'), deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        ]}
      />
      <Actions actions={depositActions(deposit)} none={null} />
    </>
  )
}
