import { Link } from 'react-router'
import { checksCsv, type IdentityCheck, listChecks } from '#shared/contract/identity.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { checkKinds, checkStatuses } from '#shared/identity.ts'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListSection } from '#web/admin/tables/list-section.tsx'
import { byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { CheckBadge, kindWords, statusWords } from './status.tsx'

export const meta = pageMeta(msg('Identity'))

const statuses = () => checkStatuses.map(status => [status, translate(statusWords[status])] as const)

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Sent') },
    {
      kind: 'choice',
      part: 'kind',
      label: t('Kind'),
      all: t('All kinds'),
      options: checkKinds.map(kind => [kind, translate(kindWords[kind])]),
    },
  ],
  sorts: [byTime('sent', t('Sent')), byWords('name', t('User'))],
})

const columns: readonly ListColumn<IdentityCheck>[] = [
  { key: 'user', header: msg('User'), sort: { key: 'name' }, cell: of => <OwnerLink row={of} /> },
  {
    key: 'kind',
    header: msg('Kind'),
    cell: ({ _id, kind }) => (
      <Link className="prose-link" to={consolePaths.identityCheck(_id)}>
        {translate(kindWords[kind])}
      </Link>
    ),
  },
  {
    key: 'sent',
    header: msg('Sent'),
    sort: { key: 'sent', descendingFirst: true },
    cell: ({ submittedAt }) => <When at={submittedAt} />,
  },
  { key: 'status', header: msg('Status'), cell: ({ status }) => <CheckBadge status={status} /> },
  {
    key: 'decidedBy',
    header: msg('Decided by'),
    cell: ({ decidedBy, status }) => <bdi>{status === 'cancelled' ? '—' : (decidedBy ?? '—')}</bdi>,
  },
]

/** What investors sent to prove who they are, and where their money comes from (decision 180). */
export default function IdentityPage() {
  return (
    <>
      <PageHead
        title={t('Identity')}
        lead={t(
          'What investors sent to prove who they are and where their money comes from. Their withdrawals and investments above the limit wait for it. Two admins set the limits in Settings.',
        )}
      />
      <ListSection
        call={listChecks}
        file={checksCsv}
        title={t('Checks')}
        name="checks"
        columns={columns}
        keyOf={of => of._id}
        statuses={statuses()}
        {...filters()}
        empty={t('Nobody has sent anything so far')}
      />
    </>
  )
}
