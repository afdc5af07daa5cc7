import { me } from '#shared/contract/accounts.ts'
import { type ApiKey, listApiKeys } from '#shared/contract/api-keys.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList, useRead } from '#web/api/read.ts'
import { Day, When } from '#web/components/when.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Section } from '#web/ui/section.tsx'
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
      title="API keys"
      aside={<ListTools of="API keys" filter={filter} all="All API keys" statuses={statuses} />}
    >
      <ListBody of="API keys" list={list} filter={filter} empty="No API keys yet">
        {rows => (
          <ul>
            {rows.map(row => (
              <Entry key={row._id} apiKey={row} ownId={own?._id} />
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function Entry({ apiKey, ownId }: { apiKey: ApiKey; ownId: string | undefined }) {
  const { name, beginning, status, proposedByName, revokedAt, revokedByName } = apiKey
  const [tone, words] = badges[status]
  return (
    <li className="grid gap-3 border-rule border-t py-5 first:border-t-0 first:pt-0">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <span className="flex flex-wrap items-center gap-3">
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {name}
          </h3>
          <Badge tone={tone}>{words}</Badge>
          {beginning && <code className="text-ink-faint text-sm">{beginning}…</code>}
        </span>
        <Actions actions={keyActions(apiKey, ownId)} none={null} />
      </div>
      <SeenByFormerAdmin apiKey={apiKey} />
      <DescriptionList
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
          ['Revoked', revokedAt && <Revoked key="revoked" by={revokedByName} at={revokedAt} />],
        ]}
      />
    </li>
  )
}

/** Its proposer may have kept a key’s text. */
function SeenByFormerAdmin({ apiKey: { status, proposerIsAdmin, proposedByName } }: { apiKey: ApiKey }) {
  if (status !== 'active' || proposerIsAdmin) return null
  return (
    <p className="max-w-2xl rounded-sm bg-wait-soft px-4 py-3 text-sm">
      <bdi>{proposedByName}</bdi>, who created this key, is no longer an admin. Revoke it and propose another.
    </p>
  )
}

function Last({ at, from }: { at: string | null; from: string | null }) {
  if (at === null) return 'Never'
  return (
    <>
      <When at={at} />, from <span className="wrap-anywhere">{from}</span>
    </>
  )
}

function Revoked({ by, at }: { by: string | null; at: string }) {
  return (
    <>
      <bdi>{by}</bdi>, <When at={at} />
    </>
  )
}
