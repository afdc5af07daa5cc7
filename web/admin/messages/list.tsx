import { Link } from 'react-router'
import {
  type ContactMessage,
  contactMessagesCsv,
  listContactMessages,
  listTeam,
} from '#shared/contract/site.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { FilterPanel } from '#web/admin/tables/list-panels.tsx'
import { ExportButton, ListTools, PanelButtons, usePanels } from '#web/admin/tables/list-tools.tsx'
import { byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { consolePaths, recordPage } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { messageActions } from './dialogs.tsx'

export const meta = pageMeta(msg('Messages'))

const statuses = [
  ['open', 'Open'],
  ['answered', 'Answered'],
  ['closed', 'Closed'],
] as const

const filters: FilterSet = {
  fields: [
    { kind: 'period', label: msg('Sent') },
    {
      kind: 'choice',
      part: 'origin',
      label: msg('From'),
      all: 'Everybody',
      options: [
        ['account', 'Investors'],
        ['form', 'The contact form'],
      ],
    },
  ],
  sorts: [
    byTime('created', 'Sent'),
    byTime('active', 'Last message'),
    byWords('name', 'Name'),
    byWords('email', 'Email'),
  ],
}

/** The filters, and a choice of the people whom messages can be assigned to. */
function useFilters(): FilterSet {
  const { data: team = [] } = useRead(listTeam, {})
  const people = team.map(({ _id, name }) => [_id, name] as const)
  const assigned = {
    kind: 'choice',
    part: 'assigned',
    label: t('Assigned to'),
    all: 'Anybody or nobody',
    options: [['nobody', 'Nobody'], ...people],
  } as const
  return { ...filters, fields: [...filters.fields, assigned] }
}

/** Messages to the firm (N-14, P-11). */
export default function MessagesPage() {
  const filters = useFilters()
  const filter = useListFilter({ statuses, ...filters })
  const list = useList(listContactMessages, { ...filter.query, limit: pageSize })
  const panels = usePanels()
  return (
    <>
      <PageHead
        title={t('Messages')}
        lead={t('From investors and the contact form. Replies are sent by email and kept here.')}
        aside={
          <ListTools of="messages" filter={filter} all="All messages" statuses={statuses}>
            <PanelButtons of="messages" panels={panels} filters={filter.fieldsSet} />
            <ExportButton of="messages" call={contactMessagesCsv} filter={filter} />
          </ListTools>
        }
      />
      {panels.open === 'filters' && <FilterPanel of="messages" filter={filter} {...filters} />}
      <ListBody of="messages" list={list} filter={filter} empty={t('No messages yet')}>
        {messages => (
          <ul>
            {messages.map(message => (
              <MessageEntry key={message._id} message={message} />
            ))}
          </ul>
        )}
      </ListBody>
    </>
  )
}

function MessageEntry({ message }: { message: ContactMessage }) {
  const { subject, name, email, user, isVerified, about, createdAt } = message
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 dir="auto" className="font-medium wrap-anywhere">
          {subject}
        </h2>
        <span className="text-ink-faint text-sm">
          <When at={createdAt} />
        </span>
      </div>
      <p className="text-ink-soft text-sm wrap-anywhere">
        {user ? (
          <Link dir="auto" className="prose-link" to={consolePaths.user(user)}>
            {name}
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
        ,{' '}
        <a className="prose-link" href={`mailto:${email}`}>
          {email}
        </a>
        {isVerified === false && ' (address not verified)'}
        {about && <About record={about} />}
      </p>
      <WrittenText>{message.message}</WrittenText>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <State message={message} />
        <Actions actions={messageActions(message)} />
      </div>
    </li>
  )
}

function About({ record: { kind, id, label } }: { record: NonNullable<ContactMessage['about']> }) {
  return (
    <>
      {tr(', about {link}', {
        link: (
          <Link className="prose-link" to={recordPage(kind, id)}>
            {label}
          </Link>
        ),
      })}
    </>
  )
}

const badges = {
  open: <Badge tone="wait">{t('Open')}</Badge>,
  answered: <Badge tone="good">{t('Answered')}</Badge>,
  closed: <Badge tone="plain">{t('Closed')}</Badge>,
}

function State({ message }: { message: ContactMessage }) {
  const { status, answeredAt, answeredBy, assigned, createdAt, lastAt } = message
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft text-sm">
      {badges[status]}
      {answeredAt && (
        <span>
          <When at={answeredAt} />, {answeredBy}
        </span>
      )}
      {lastAt !== createdAt && <span>{tr('Last message {when}', { when: <When at={lastAt} /> })}</span>}
      {assigned && <span>{t('Assigned to {name}', { name: assigned.name })}</span>}
    </span>
  )
}
