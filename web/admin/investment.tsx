import { useSearchParams } from 'react-router'
import { listUsers } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { getInvestment } from '#shared/contract/investments.ts'
import { useList, useRead } from '#web/api/read.ts'
import { Usd, usdOrWait } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { InvestmentBadges, InvestmentEarnings, InvestmentTerms } from '#web/components/investment-parts.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { Postings } from '#web/components/postings.tsx'
import { DepositStatus } from '#web/components/statuses.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Action, Actions } from './acts/actions.tsx'
import { AddEarnings } from './acts/add-earnings.tsx'
import { depositActions } from './acts/deposit.tsx'
import { focusHome } from './acts/focus-home.ts'
import { investmentActions } from './acts/investment.tsx'
import { mayHere } from './rights.ts'

export const meta = pageMeta('Investment')

type Detail = CallData<typeof getInvestment>

/** `/admin/investment?id=` (N-10). */
export default function InvestmentPage() {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  const { data, isError, refetch } = useRead(getInvestment, { params: { id } }, { enabled: id !== '' })
  if (data) return <InvestmentDetail investment={data} />
  return (
    <>
      <PageHead title="Investment" />
      {id === '' && <NoneNamed />}
      {id !== '' && isError && (
        <FailedState onRetry={() => void refetch()}>
          This investment could not be loaded, or there is none with this id.
        </FailedState>
      )}
      {id !== '' && !isError && <Loading label="Loading the investment" lines={8} />}
    </>
  )
}

function NoneNamed() {
  return (
    <EmptyState action={<LinkButton to={paths.admin.home}>To the console</LinkButton>}>
      This address names no investment. Choose one in the console's list of investments.
    </EmptyState>
  )
}

function actionsOf(investment: Detail): Action[] {
  if (investment.status !== 'active') return investmentActions(investment)
  const user = { _id: investment.user, name: investment.userName ?? investment.user }
  const addEarnings: Action = {
    label: 'Add earnings',
    call: addEarning,
    of: `on ${investment.invoiceId}`,
    dialog: close => <AddEarnings user={user} investment={investment._id} onClose={close} />,
  }
  return [addEarnings, ...investmentActions(investment)]
}

function InvestmentDetail({ investment }: { investment: Detail }) {
  return (
    <div {...focusHome} className="outline-none">
      <PageHead
        title={`${investment.plan}, ${investment.invoiceId}`}
        lead={<InvestmentBadges investment={investment} />}
        aside={<Actions actions={actionsOf(investment)} none={null} />}
      />
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title="Terms">
          <InvestmentTerms investment={investment} />
        </Section>
        <div className="grid grid-cols-1 content-start gap-10">
          <Section title="Investor">
            <Investor id={investment.user} name={investment.userName} />
          </Section>
          <Section title="Payment">
            <Payment deposit={investment.deposit} amount={investment.amount} />
          </Section>
        </div>
        <Section title="Earnings" className="lg:col-span-2">
          <InvestmentEarnings earnings={investment.earnings} />
        </Section>
        {mayHere('books') && (
          <Section title="Ledger entries" className="lg:col-span-2">
            {investment.entries.length === 0 ? (
              <p className="text-ink-soft">No money has moved for it yet.</p>
            ) : (
              <Postings caption="Ledger entries of this investment" lines={investment.entries} />
            )}
          </Section>
        )}
        <Section title="History" className="lg:col-span-2">
          <Timeline entries={investment.history} />
        </Section>
      </div>
    </div>
  )
}

/** Whose it is: found by the id, as the list of users can be searched for one. */
function Investor({ id, name }: { id: string; name: string | null }) {
  const { rows } = useList(listUsers, { q: id, limit: 1 })
  const user = rows?.find(one => one._id === id)
  const wait = rows ? '—' : '…'
  return (
    <DescriptionList
      entries={[
        ['Name', user?.name ?? name ?? id],
        ['Email', user?.email ?? wait],
        ['Country', user?.country ?? wait],
        ['Phone', user?.phone ?? wait],
        ['Available balance', usdOrWait(user?.balance) ?? wait],
        ['In plans', usdOrWait(user?.invested) ?? wait],
        ['On hold', usdOrWait(user?.held) ?? wait],
      ]}
    />
  )
}

function Payment({ deposit, amount }: { deposit: Deposit | null; amount: number }) {
  if (deposit === null) {
    return (
      <DescriptionList
        entries={[
          ['Paid by', methodLabel('balance')],
          ['Amount', <Usd key="usd" value={amount} />],
        ]}
      />
    )
  }
  const { method, payment } = deposit
  return (
    <>
      <DescriptionList
        entries={[
          ['Deposit', deposit.invoiceId],
          ['Status', <DepositStatus key="status" status={deposit.status} />],
          ['Where it stands', deposit.label],
          ['Paid by', methodLabel(method)],
          ['Amount', <Usd key="usd" value={deposit.amount} />],
          ['Amount asked for', <Coin key="coin" method={method} payment={payment} />],
          ['Payment address', payment.address],
          ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        ]}
      />
      <Actions actions={depositActions(deposit)} none={null} />
    </>
  )
}
