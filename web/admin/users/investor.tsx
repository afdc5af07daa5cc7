import { getUser } from '#shared/contract/console.ts'
import { localCountry } from '#shared/countries.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PersonLink } from './person.tsx'
import type { UserDetail } from './user-detail.ts'

/** A record's owner in short, with a link. */
export function Investor({ id }: { id: string }) {
  const { data: user, isError } = useRead(getUser, { params: { id } })
  const wait = isError ? '—' : '…'
  return (
    <DescriptionList
      entries={[
        [t('Name'), <PersonLink key="name" id={id} name={user?.name ?? null} />],
        [t('Account'), user && stopOf(user)],
        [t('Email'), user?.email ?? wait],
        [t('Country'), user ? localCountry(user.country) : wait],
        [t('Phone'), user?.phone ?? wait],
        [t('Available balance'), usdOrWait(user?.balance) ?? wait],
        [t('In plans'), usdOrWait(user?.invested) ?? wait],
        [t('On hold'), usdOrWait(user?.held) ?? wait],
      ]}
    />
  )
}

/** Nothing for an account that works. */
function stopOf({ closedAt, freeze }: UserDetail) {
  if (closedAt) return <Badge tone="plain">{t('Closed', {}, 'an account')}</Badge>
  return freeze && <Badge tone="bad">{t('Frozen', {}, 'an account')}</Badge>
}
