import { Download } from 'lucide-react'
import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { caseReport, getCase, type MonitoringCase } from '#shared/contract/monitoring.ts'
import { localCountry } from '#shared/countries.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { monitoredDays, mostCaseMovements } from '#shared/limits.ts'
import { ruleLabels } from '#shared/monitoring.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { mayCall } from '#web/admin/rights.ts'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { PersonLink } from '#web/admin/users/person.tsx'
import { useDownload } from '#web/api/download.ts'
import { Usd } from '#web/components/amounts.tsx'
import { zone } from '#web/components/days.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { caseActions } from './actions.tsx'
import { CaseBadge, MovementBadge } from './status.tsx'
import { movedWords } from './words.ts'

export const meta = pageMeta(msg('Case'))

type Detail = CallData<typeof getCase>
type Movement = Detail['moved'][number]

/** `/admin/case?id=`: movements of an account that a rule found. */
export default function CasePage() {
  return (
    <DetailPage
      call={getCase}
      title={t('Case')}
      of={t('case', {}, 'of monitoring')}
      elsewhere={t('Pick a case from monitoring.')}
    >
      {of => <CaseDetail of={of} />}
    </DetailPage>
  )
}

function CaseDetail({ of }: { of: Detail }) {
  return (
    <>
      <PageHead
        title={translate(ruleLabels[of.rule])}
        lead={<CaseBadge status={of.status} />}
        aside={<Actions actions={caseActions(of)} none={null} />}
      />
      {of.status === 'open' && (
        <p className="mb-8 max-w-prose text-ink-soft">
          {t(
            'Find out where the money came from and where it goes. You may ask the investor about a payment, but never mention this case, its rule or a report: the law forbids it. A case holds no money. If you freeze the account, the investor is notified.',
          )}
        </p>
      )}
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('What was found')}>
          <Found of={of} />
        </Section>
        <Section title={t('The account')}>
          <Person of={of} />
        </Section>
        {of.decidedAt !== null && (
          <Section title={t('The decision')}>
            <DescriptionList
              entries={[
                [t('Decided by'), of.decidedBy],
                [t('Decided', {}, 'when'), <When key="decided" at={of.decidedAt} />],
                [t('Reason'), of.reason],
              ]}
            />
          </Section>
        )}
        <Movements of={of} />
        {of.others.length > 0 && (
          <Section title={t('Other cases of this person')} className="lg:col-span-2">
            <Table
              caption={t('Other cases of this person, the newest first')}
              columns={others}
              rows={of.others}
              keyOf={({ _id }) => _id}
            />
          </Section>
        )}
      </div>
    </>
  )
}

function Found({ of }: { of: Detail }) {
  return (
    <DescriptionList
      entries={[
        [t('The rule looks for'), of.looksFor],
        [t('Movements'), movedWords(of)],
        [t('Amount'), <Usd key="amount" value={of.amount} />],
        [t('First', {}, 'when'), <When key="first" at={of.firstAt} />],
        [t('Last', {}, 'when'), <When key="last" at={of.lastAt} />],
        [t('Found', {}, 'when'), <When key="found" at={of.foundAt} />],
      ]}
    />
  )
}

function Person({ of: { user, userName, person } }: { of: Detail }) {
  return (
    <DescriptionList
      entries={[
        [t('Name'), <PersonLink key="name" id={user} name={userName} />],
        [t('Email'), person.email],
        [t('Phone'), person.phone],
        [t('Country'), localCountry(person.country)],
        [t('Account since'), <When key="since" at={person.since} />],
        [t('Account'), <AccountState key="state" of={person} />],
      ]}
    />
  )
}

function AccountState({ of: { frozen, closed } }: { of: Detail['person'] }) {
  if (closed) return t('Closed', {}, 'an account')
  return frozen ? <Badge tone="bad">{t('Frozen', {}, 'an account')}</Badge> : t('Not frozen')
}

function Movements({ of }: { of: Detail }) {
  return (
    <Section
      title={t('Movements')}
      className="lg:col-span-2"
      aside={mayCall(caseReport) && <ReportLink id={of._id} />}
    >
      <p className="mb-4 text-ink-soft text-sm">
        {of.decidedAt === null
          ? t('From {days} days before the first that met the rule until now.', { days: monitoredDays })
          : t('From {days} days before the first that met the rule to the decision.', {
              days: monitoredDays,
            })}
        {of.moved.length === mostCaseMovements &&
          ` ${t('The newest {count, number}; the report has all.', { count: mostCaseMovements })}`}
      </p>
      <Table
        caption={t('Deposits and withdrawals of the account, the newest first')}
        columns={moved}
        rows={of.moved}
        keyOf={({ _id }) => _id}
      />
    </Section>
  )
}

/** The movements as a file, for the report to the authority. */
function ReportLink({ id }: { id: string }) {
  const { run, pending } = useDownload(caseReport)
  return (
    <Button
      tone="quiet"
      size="sm"
      busy={pending}
      onClick={() => run({ params: { id }, query: { zone: zone() } })}
    >
      <Download aria-hidden="true" />
      {t('Download report')}
    </Button>
  )
}

const moved: readonly Column<Movement>[] = [
  {
    header: msg('Number'),
    cell: ({ kind, record, number }) => (
      <RecordCell note={kind === 'deposit' ? t('Deposit') : t('Withdrawal')}>
        <Link
          className="prose-link whitespace-nowrap"
          to={kind === 'deposit' ? consolePaths.deposit(record) : consolePaths.withdrawal(record)}
        >
          {number}
        </Link>
      </RecordCell>
    ),
  },
  { header: msg('Time'), cell: ({ at }) => <When at={at} /> },
  { header: msg('Met the rule'), cell: ({ found }) => (found ? t('Yes') : t('No')) },
  { header: msg('Amount'), numeric: true, cell: ({ amount }) => <Usd value={amount} /> },
  {
    header: msg('Paid to'),
    cell: ({ address, coin, transactionId }) => (
      <RecordCell
        note={
          <>
            {coin}
            {transactionId && (
              <span className="block break-all">
                {tr('Transaction {id}', { id: <bdi>{transactionId}</bdi> })}
              </span>
            )}
          </>
        }
      >
        <GroupedAddress address={address} />
      </RecordCell>
    ),
  },
  { header: msg('Status'), cell: ({ status }) => <MovementBadge status={status} /> },
]

const others: readonly Column<MonitoringCase>[] = [
  {
    header: msg('Rule'),
    cell: of => (
      <Link className="prose-link" to={consolePaths.monitoringCase(of._id)}>
        {translate(ruleLabels[of.rule])}
        <span className="sr-only">{t(', found {day}', { day: of.foundAt.slice(0, 10) })}</span>
      </Link>
    ),
  },
  { header: msg('Amount'), numeric: true, cell: ({ amount }) => <Usd value={amount} /> },
  { header: msg('Found'), cell: ({ foundAt }) => <When at={foundAt} /> },
  { header: msg('Status'), cell: ({ status }) => <CaseBadge status={status} /> },
]
