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
import { Addresses, rightsInWords } from './words.tsx'

const tones: Record<ApiKey['status'], Tone> = {
  approved: 'wait',
  active: 'good',
  expired: 'plain',
  revoked: 'bad',
}

const statusOptions = () =>
  [
    ['approved', t('Approved', {}, 'an API key')],
    ['active', t('Active', {}, 'an API key')],
    ['expired', t('Expired', {}, 'an API key')],
    ['revoked', t('Revoked', {}, 'an API key')],
  ] as const

function statusWords(status: ApiKey['status']): string {
  return status === 'approved' ? t('Approved, not created yet') : new Map(statusOptions()).get(status)!
}

/** API keys, newest first. */
export function KeysSection() {
  const { data: own } = useRead(me, {})
  const statuses = statusOptions()
  const filter = useListFilter({ statuses }, 'keys')
  const list = useList(listApiKeys, { q: filter.q, status: filter.status, limit: pageSize })
  return (
    <Section
      title={t('API keys')}
      aside={
        <ListTools
          of={t('API keys', {}, 'in a sentence')}
          filter={filter}
          all={t('All API keys')}
          statuses={statuses}
        />
      }
    >
      <ListBody
        few
        of={t('API keys', {}, 'in a sentence')}
        list={list}
        filter={filter}
        empty={t('No API keys yet')}
      >
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
      badge={[tones[status], statusWords(status)]}
      mark={
        beginning && (
          <code dir="ltr" className="text-ink-faint text-sm">
            {beginning}…
          </code>
        )
      }
      actions={keyActions(apiKey, ownId)}
      notice={isSeenByFormerAdmin(apiKey) && <SeenByFormerAdmin name={proposedByName} />}
      entries={[
        [t('May read'), rightsInWords(apiKey.rights)],
        [t('From'), <Addresses key="from" of={apiKey.addresses} />],
        [t('Until'), <Day key="until" on={apiKey.until} />],
        [t('Proposed by'), proposedByName],
        [t('Last used'), <Last key="used" at={apiKey.lastUsedAt} from={apiKey.lastUsedFrom} />],
        [
          t('Last refused'),
          apiKey.lastRefusedAt && (
            <Last key="refused" at={apiKey.lastRefusedAt} from={apiKey.lastRefusedFrom} />
          ),
        ],
        [t('Revoked', {}, 'when'), revokedAt && <ByWhen key="revoked" by={revokedByName} at={revokedAt} />],
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
      {tr('{name}, who created this key, is no longer an admin. Revoke it and propose another.', {
        name: <bdi>{name}</bdi>,
      })}
    </>
  )
}

function Last({ at, from }: { at: string | null; from: string | null }) {
  if (at === null) return t('Never')
  return (
    <>
      {tr('{when}, from {address}', {
        when: <When at={at} />,
        address: <bdi className="wrap-anywhere">{from}</bdi>,
      })}
    </>
  )
}
