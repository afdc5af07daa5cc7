import { me } from '#shared/contract/accounts.ts'
import { type ApiKey, listApiKeys } from '#shared/contract/api-keys.ts'
import { t } from '#shared/i18n/t.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { ByWhen } from '#web/components/by-when.tsx'
import { Day, When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import type { Tone } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { Entry } from './entry.tsx'
import { keyActions } from './key-dialogs.tsx'
import { rightsInWords } from './words.tsx'

const statuses = [
  ['approved', 'Approved'],
  ['active', 'Active'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
] as const

const badges: Record<ApiKey['status'], readonly [Tone, string]> = {
  approved: ['wait', 'Approved, not created yet'],
  active: ['good', 'Active'],
  expired: ['plain', 'Expired'],
  revoked: ['bad', 'Revoked'],
}

/** API keys, newest first. */
export function KeysSection() {
  const { data: own } = useRead(me, {})
  const filter = useListFilter({ statuses }, 'keys')
  const list = useList(listApiKeys, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('API keys')}
      aside={<ListTools of="API keys" filter={filter} all="All API keys" statuses={statuses} />}
    >
      <ListBody few of="API keys" list={list} filter={filter} empty={t('No API keys yet')}>
        {rows => (
          <ul>
            {rows.map(row => (
              <Key key={row._id} apiKey={row} ownId={own?._id} />
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function Key({ apiKey, ownId }: { apiKey: ApiKey; ownId: string | undefined }) {
  const { name, beginning, status, proposedByName, revokedAt, revokedByName } = apiKey
  return (
    <Entry
      name={name}
      badge={badges[status]}
      mark={beginning && <code className="text-ink-faint text-sm">{beginning}…</code>}
      actions={keyActions(apiKey, ownId)}
      notice={isSeenByFormerAdmin(apiKey) && <SeenByFormerAdmin name={proposedByName} />}
      entries={[
        ['May read', rightsInWords(apiKey.rights)],
        ['From', apiKey.addresses.join(', ')],
        ['Until', <Day key="until" on={apiKey.until} />],
        ['Proposed by', proposedByName],
        ['Last used', <Last key="used" at={apiKey.lastUsedAt} from={apiKey.lastUsedFrom} />],
        [
          'Last refused',
          apiKey.lastRefusedAt && (
            <Last key="refused" at={apiKey.lastRefusedAt} from={apiKey.lastRefusedFrom} />
          ),
        ],
        ['Revoked', revokedAt && <ByWhen key="revoked" by={revokedByName} at={revokedAt} />],
      ]}
    />
  )
}

/** Its proposer may have kept a key’s text. */
function isSeenByFormerAdmin({ status, proposerIsAdmin }: ApiKey): boolean {
  return status === 'active' && !proposerIsAdmin
}

function SeenByFormerAdmin({ name }: { name: string }) {
  return (
    <>
      {tr('{bdi}, who created this key, is no longer an admin. Revoke it and propose another.', {
        bdi: <bdi>{name}</bdi>,
      })}
    </>
  )
}

function Last({ at, from }: { at: string | null; from: string | null }) {
  if (at === null) return 'Never'
  return (
    <>
      {tr('{when}, from {span}', {
        when: <When at={at} />,
        span: <span className="wrap-anywhere">{from}</span>,
      })}
    </>
  )
}
