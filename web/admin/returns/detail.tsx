import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getReturn, listReturnPayments } from '#shared/contract/returns.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { Posted } from '#web/admin/ledger-entries.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { useList } from '#web/api/list.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Evidence } from '#web/components/evidence.tsx'
import { Timeline } from '#web/components/timeline.tsx'
import { Day, When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { returnActions } from './actions.tsx'
import { ReturnStatus } from './status.tsx'

export const meta = pageMeta(msg('Recorded return'))

type Detail = CallData<typeof getReturn>
type Payment = CallData<typeof listReturnPayments>[number]

/** `/admin/return?id=` (N-11): a recorded return with its evidence, its payments and the amount left. */
export default function ReturnPage() {
  return (
    <DetailPage
      call={getReturn}
      title={t('Recorded return')}
      of={t('return', {}, 'realised by the firm')}
      elsewhere={t('Pick a return from the list of recorded returns.')}
    >
      {recorded => <ReturnDetail recorded={recorded} />}
    </DetailPage>
  )
}

function ReturnDetail({ recorded }: { recorded: Detail }) {
  return (
    <>
      <PageHead
        title={<bdi>{recorded.source}</bdi>}
        aside={<Actions actions={returnActions(recorded)} none={null} />}
        lead={t(
          'A return that the firm has realised. Earnings are paid from recorded returns, the oldest first.',
        )}
      />
      <Figures inLines>
        <Figure
          label={t('Amount')}
          value={<Usd value={recorded.amount} />}
          note={<ReturnStatus of={recorded} />}
        />
        <Figure
          label={t('Paid out')}
          value={<Usd value={recorded.paidOut} />}
          note={t('As earnings, to investors')}
        />
        <Figure
          label={t('Left to pay out')}
          value={<Usd value={recorded.left} />}
          note={leftNote(recorded)}
        />
      </Figures>
      <div className="mt-8 grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('Evidence')}>
          <DescriptionList
            entries={[
              [t('Source'), recorded.source],
              [t('Realised'), <Day key="day" on={recorded.realisedAt} />],
              [t('Evidence'), <Evidence key="evidence" of={recorded} />],
              [t('Sealed'), <Sealed key="sealed" of={recorded} />],
              [t('Recorded by'), recorded.recordedBy ?? '—'],
              [t('Approved by'), recorded.approvedBy],
              [t('Void proposed by'), recorded.voidProposedBy],
              [t('Voided by'), recorded.voidedBy],
              [t('Recorded', {}, 'when'), <When key="created" at={recorded.createdAt} />],
            ]}
          />
        </Section>
        <Section title={t('History')}>
          <Timeline entries={recorded.history} />
        </Section>
        <Section title={t('Earnings paid')} className="lg:col-span-2">
          <Payments returnId={recorded._id} />
        </Section>
        <Posted id={recorded._id} className="lg:col-span-2" />
      </div>
    </>
  )
}

/** Where strangers find it: the return itself, and the hash of its file. */
function Sealed({ of: { sealedInEpoch: epoch, evidenceFile } }: { of: Detail }) {
  if (epoch === null) return t('With the next epoch of the public proof')
  if (!evidenceFile) return t('In epoch {epoch} of the public proof', { epoch })
  return (
    <a className="prose-link text-sm" href={`${paths.proof}/epochs/${epoch}/evidence.txt`}>
      {t("In epoch {epoch} of the public proof, with the file's hash", { epoch })}
    </a>
  )
}

function leftNote({ status }: Detail): string {
  if (status === 'recorded') return t('Amount − paid out')
  return status === 'void_proposed'
    ? t('Nothing is paid from it until the void is decided')
    : t('It pays nothing')
}

const columns: readonly Column<Payment>[] = [
  { header: msg('Paid'), cell: ({ paidAt }) => (paidAt === null ? '—' : <When at={paidAt} />) },
  { header: msg('User'), cell: payment => <OwnerLink row={payment} /> },
  {
    header: msg('Investment'),
    cell: ({ investment, investmentLabel }) => (
      <Link className="prose-link" to={consolePaths.investment(investment)}>
        {investmentLabel}
      </Link>
    ),
  },
  { header: msg('Earning'), cell: ({ earning }) => <Usd value={earning} />, numeric: true },
  { header: msg('From this return'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
]

function Payments({ returnId }: { returnId: string }) {
  const list = useList(listReturnPayments, { returnId, limit: pageSize })
  return (
    <ListBody
      of={t('payments')}
      list={list}
      filter={wholeList}
      empty={t('Nothing has been paid from it yet')}
    >
      {rows => (
        <Table
          caption={t('Earnings that this return has paid, the newest first')}
          columns={columns}
          rows={rows}
          keyOf={row => row._id}
        />
      )}
    </ListBody>
  )
}
