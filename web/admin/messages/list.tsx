import { Link } from 'react-router'
import {
  type ContactMessage,
  contactMessagesCsv,
  listContactMessages,
  listTeam,
} from '#shared/contract/site.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
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
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { messageActions } from './dialogs.tsx'

export const meta = pageMeta(msg('Messages'))

const statuses = () =>
  [
    ['open', t('Open')],
    ['answered', t('Answered')],
    ['closed', t('Closed')],
  ] as const

/** The filters, with a choice of the people whom messages can be assigned to. */
function useFilters(): FilterSet {
  const { data: team = [] } = useRead(listTeam, {})
  const people = team.map(({ _id, name }) => [_id, name] as const)
  return {
    fields: [
      { kind: 'period', label: t('Sent') },
      {
        kind: 'choice',
        part: 'origin',
        label: t('From', {}, 'a person'),
        all: t('Everybody'),
        options: [
          ['account', t('Investors')],
          ['form', t('The contact form')],
        ],
      },
      {
        kind: 'choice',
        part: 'assigned',
        label: t('Assigned to'),
        all: t('Anybody or nobody'),
        options: [['nobody', t('Nobody')], ...people],
      },
    ],
    sorts: [
      byTime('created', t('Sent')),
      byTime('active', t('Last message')),
      byWords('name', t('Name')),
      byWords('email', t('Email')),
    ],
  }
}

/** Messages to the firm (N-14, P-11). */
export default function MessagesPage() {
  const filters = useFilters()
  const filter = useListFilter({ statuses: statuses(), ...filters })
  const list = useList(listContactMessages, { ...filter.query, limit: pageSize })
  const panels = usePanels()
  return (
    <>
      <PageHead
        title={t('Messages')}
        lead={t('From investors and the contact form. Replies are sent by email and kept here.')}
        aside={
          <ListTools of={t('messages')} filter={filter} all={t('All messages')} statuses={statuses()}>
            <PanelButtons of={t('messages')} panels={panels} filters={filter.fieldsSet} />
            <ExportButton of={t('messages')} call={contactMessagesCsv} filter={filter} />
          </ListTools>
        }
      />
      {panels.open === 'filters' && <FilterPanel of={t('messages')} filter={filter} {...filters} />}
      <ListBody of={t('messages')} list={list} filter={filter} empty={t('No messages yet')}>
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

type EntryProps = { message: ContactMessage }

function MessageEntry({ message }: EntryProps) {
  const { subject, createdAt } = message
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
        <Origin message={message} />
      </p>
      <WrittenText>{message.message}</WrittenText>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <State message={message} />
        <Actions actions={messageActions(message)} />
      </div>
    </li>
  )
}

/** Who wrote, and about which record. */
function Origin({ message: { name: written, email: address, user, isVerified, about } }: EntryProps) {
  const name = user ? (
    <Link dir="auto" className="prose-link" to={consolePaths.user(user)}>
      {written}
    </Link>
  ) : (
    <bdi>{written}</bdi>
  )
  const email = (
    <a dir="ltr" className="prose-link" href={`mailto:${address}`}>
      {address}
    </a>
  )
  if (!about)
    return isVerified === false
      ? tr('{name}, {email} (address not verified)', { name, email })
      : tr('{name}, {email}', { name, email })
  const record = (
    <Link className="prose-link" to={recordPage(about.kind, about.id)}>
      <bdi>{about.label}</bdi>
    </Link>
  )
  return isVerified === false
    ? tr('{name}, {email} (address not verified), about {record}', { name, email, record })
    : tr('{name}, {email}, about {record}', { name, email, record })
}

const badges: Record<ContactMessage['status'], readonly [Tone, string]> = {
  open: ['wait', msg('Open')],
  answered: ['good', msg('Answered')],
  closed: ['plain', msg('Closed')],
}

function State({ message }: EntryProps) {
  const { status, answeredAt, answeredBy, assigned, createdAt, lastAt } = message
  const [tone, words] = badges[status]
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft text-sm">
      <Badge tone={tone}>{translate(words)}</Badge>
      {answeredAt && (
        <span>{tr('{when}, {name}', { when: <When at={answeredAt} />, name: <bdi>{answeredBy}</bdi> })}</span>
      )}
      {lastAt !== createdAt && <span>{tr('Last message {when}', { when: <When at={lastAt} /> })}</span>}
      {assigned && <span>{tr('Assigned to {name}', { name: <bdi>{assigned.name}</bdi> })}</span>}
    </span>
  )
}
