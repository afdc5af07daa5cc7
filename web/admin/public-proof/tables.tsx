import type { CallData } from '#shared/contract/define.ts'
import type { proofStatus } from '#shared/contract/proof-status.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { When } from '#web/components/when.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'
import { EmptyState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Status = CallData<typeof proofStatus>
type Witness = Status['witnesses'][number]
type Auditor = Status['auditors'][number]
type Authority = Status['authorities'][number]
type Copy = Status['copies'][number]

const name = ({ name }: { name: string }) => <span className="wrap-anywhere font-medium">{name}</span>

function Newest({ newest }: { newest: Witness['newest'] }) {
  if (newest === null) return t('None', {}, 'an epoch')
  return (
    <RecordCell note={<When at={newest.at} />}>
      {t('Epoch {epoch, number}', { epoch: newest.epoch })}
    </RecordCell>
  )
}

function MissingSince({ newest, missingSince }: Pick<Witness, 'newest' | 'missingSince'>) {
  if (missingSince !== null) return <When at={missingSince} />
  return newest === null ? t('The first epoch') : '—'
}

const witnessStates: Record<Witness['state'], [Tone, string, todo: string]> = {
  cosigned: ['good', msg('Cosigned'), '—'],
  waiting: ['wait', msg('Not asked yet'), msg('Nothing: we ask after each epoch.')],
  unreachable: [
    'wait',
    msg('Unreachable'),
    msg('Nothing at first: we ask again every hour. If it stays away, write to its operator.'),
  ],
  refused: ['bad', msg('Refused'), msg('Ask its operator whether it accepts our log’s key.')],
  forked: [
    'bad',
    msg('Has another history'),
    msg('No epoch is signed until this is solved. Follow the chapter “Public proof” of docs/operate.md.'),
  ],
}

const witnessColumns: readonly Column<Witness>[] = [
  { header: msg('Witness'), cell: name },
  {
    header: msg('State'),
    cell: ({ state, problem }) => {
      const [tone, words] = witnessStates[state]
      const badge = <Badge tone={tone}>{translate(words)}</Badge>
      return state === 'cosigned' || problem === null ? (
        badge
      ) : (
        <RecordCell note={capital(problem)}>{badge}</RecordCell>
      )
    },
  },
  { header: msg('Newest cosigned'), cell: Newest },
  { header: msg('Missing since'), cell: MissingSince },
  { header: msg('What to do'), cell: ({ state }) => translate(witnessStates[state][2]) },
]

/** Of the configured policy. */
export function Witnesses({ witnesses }: Pick<Status, 'witnesses'>) {
  if (witnesses.length === 0)
    return (
      <EmptyState>
        {t(
          'No witness is configured. Our own word is all that keeps us from showing two histories. Find somebody independent, and set PROOF_WITNESS_POLICY (docs/operate.md).',
        )}
      </EmptyState>
    )
  return (
    <Table
      caption={t('Witnesses, and what each has cosigned')}
      columns={witnessColumns}
      rows={witnesses}
      keyOf={({ name }) => name}
    />
  )
}

const auditorColumns = (latest: number): readonly Column<Auditor>[] => [
  { header: t('Auditor'), cell: name },
  { header: t('State'), cell: auditor => <AuditorState {...auditor} latest={latest} /> },
  { header: t('Newest cosigned'), cell: Newest },
]

function AuditorState({ isConfigured, newest, latest }: Auditor & { latest: number }) {
  if (!isConfigured) return <Badge tone="plain">{t('Former auditor')}</Badge>
  if (newest === null) return <Badge tone="wait">{t('Nothing cosigned yet')}</Badge>
  const behind = latest - newest.epoch
  if (behind === 0) return <Badge tone="good">{t('Cosigned')}</Badge>
  return (
    <Badge tone="plain">
      {t('{count, plural, one {# epoch behind} other {# epochs behind}}', { count: behind })}
    </Badge>
  )
}

/** Who has recomputed the log with all lines opened. @param props.newest epoch of the log */
export function Auditors({ auditors, newest }: Pick<Status, 'auditors'> & { newest: number }) {
  if (auditors.length === 0)
    return (
      <EmptyState>
        {t(
          'No auditor is configured. Invite one as staff with the role Auditor, and set PROOF_AUDITOR to their key (docs/operate.md).',
        )}
      </EmptyState>
    )
  return (
    <Table
      caption={t('Auditors, and what each has cosigned')}
      columns={auditorColumns(newest)}
      rows={auditors}
      keyOf={({ name, isConfigured }) => `${name} ${isConfigured}`}
    />
  )
}

const authorityColumns: readonly Column<Authority>[] = [
  { header: msg('Authority'), cell: name },
  { header: msg('State'), cell: authority => <AuthorityState {...authority} /> },
  { header: msg('Newest stamp'), cell: Newest },
  {
    header: msg('Missing since'),
    cell: authority => (authority.isConfigured ? MissingSince(authority) : '—'),
  },
]

function AuthorityState({ isConfigured, newest, missingSince, problem }: Authority) {
  if (!isConfigured) return <Badge tone="plain">{t('Not asked any more')}</Badge>
  if (problem !== null)
    return (
      <RecordCell
        note={t('{problem}. We ask again every hour. If it stays, choose another authority.', {
          problem: capital(problem),
        })}
      >
        <Badge tone="bad">{t('Failed', {}, 'a time stamp')}</Badge>
      </RecordCell>
    )
  if (newest === null || missingSince !== null)
    return <Badge tone="wait">{t('Waiting', {}, 'a time stamp')}</Badge>
  return <Badge tone="good">{t('Dated')}</Badge>
}

/** RFC 3161 authorities. */
export function TimeStamps({ authorities }: Pick<Status, 'authorities'>) {
  if (authorities.length === 0)
    return (
      <EmptyState>
        {t(
          'No time authority is configured, so only our own clock dates the epochs. Set PROOF_TSA_URL and PROOF_TSA_CERTIFICATES (docs/operate.md).',
        )}
      </EmptyState>
    )
  return (
    <Table
      caption={t('Time authorities, and what each has dated')}
      columns={authorityColumns}
      rows={authorities}
      keyOf={({ name }) => name}
    />
  )
}

type Kept = Copy & { latest: number }

const copyColumns: readonly Column<Kept>[] = [
  {
    header: msg('Place'),
    cell: ({ place, isBucket }) => (
      <span className="wrap-anywhere">
        <span className="font-medium">{isBucket ? t('Bucket') : t('Folder')}</span>{' '}
        <bdi dir="ltr">{place}</bdi>
      </span>
    ),
  },
  { header: msg('State'), cell: copy => <CopyState {...copy} /> },
  { header: msg('Newest copied'), cell: Newest },
]

function CopyState({ problem, newest, latest, isBucket }: Kept) {
  if (problem !== null)
    return (
      <RecordCell
        note={t('{problem}. See the chapter “Public proof” of docs/operate.md.', {
          problem: capital(problem),
        })}
      >
        <Badge tone="bad">{t('Failed', {}, 'a copy')}</Badge>
      </RecordCell>
    )
  if (newest?.epoch === latest) return <Badge tone="good">{t('Complete', {}, 'a copy')}</Badge>
  const todo = isBucket
    ? t('A worker completes it every hour.')
    : t('Run npm run proof -- --to with this folder.')
  return (
    <RecordCell note={todo}>
      <Badge tone="wait">{t('Behind', {}, 'a copy')}</Badge>
    </RecordCell>
  )
}

/** Places that outlive this installation. */
export function Copies({ copies, newest }: Pick<Status, 'copies'> & { newest: number }) {
  if (copies.length === 0)
    return (
      <EmptyState>
        {t(
          'There is no copy that we know of. If this server is lost, so is the log. Set PROOF_BUCKET_URL, or run npm run proof -- --to a folder every day (docs/operate.md).',
        )}
      </EmptyState>
    )
  return (
    <Table
      caption={t('Copies of the published files')}
      columns={copyColumns}
      rows={copies.map(copy => ({ ...copy, latest: newest }))}
      keyOf={({ place }) => place}
    />
  )
}
