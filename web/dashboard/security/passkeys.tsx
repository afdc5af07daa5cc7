import { useState } from 'react'
import { type Passkey, passkeys, removePasskey } from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { When } from '#web/components/when.tsx'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { AddPasskeyDialog } from './add-passkey.tsx'

const anchor = 'passkeys'
const section = () => document.getElementById(anchor) ?? undefined

/** The user's passkeys (F-05): list, add, remove. */
export function Passkeys() {
  const { data: rows, isError, refetch } = useRead(passkeys, {})
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  return (
    <Section
      title={t('Passkeys')}
      anchor={anchor}
      className="outline-none"
      aside={
        <Button tone="quiet" size="sm" onClick={() => setAdding(true)}>
          {t('Add a passkey')}
        </Button>
      }
    >
      <p className="mb-4 max-w-2xl text-ink-soft">
        {t(
          'Log in without a password: your device asks for your fingerprint, face or PIN. It works only on this site, so phishing sites can’t use it. Once you have one, you need a passkey or code login to change passkeys, two-factor authentication or your email address. If you lose all your passkeys, contact our support team.',
        )}
      </p>
      {rows ? (
        <PasskeyList rows={rows} onRemove={setRemoving} />
      ) : isError ? (
        <FailedState onRetry={refetch}>{t('Your passkeys could not be loaded.')}</FailedState>
      ) : (
        <Loading label={t('Loading your passkeys')} />
      )}
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
      {removing && <RemoveDialog of={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  )
}

function PasskeyList({ rows, onRemove }: { rows: Passkey[]; onRemove: (passkey: Passkey) => void }) {
  if (rows.length === 0) return <EmptyState>{t('You have no passkeys yet.')}</EmptyState>
  return (
    <Table
      caption={t('Your passkeys, newest first')}
      columns={columnsOf(onRemove)}
      rows={rows}
      keyOf={({ _id }) => _id}
    />
  )
}

function columnsOf(onRemove: (passkey: Passkey) => void): readonly Column<Passkey>[] {
  return [
    {
      header: t('Name'),
      cell: ({ name, refused }) => (
        <span className="wrap-anywhere flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi>{name}</bdi>
          {refused && <Badge tone="bad">{t('No longer accepted')}</Badge>}
        </span>
      ),
    },
    { header: t('Added'), cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      header: t('Last used'),
      cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : t('Not yet')),
    },
    {
      header: t('Actions'),
      bare: true,
      numeric: true,
      cell: passkey => (
        <Button
          tone="quiet"
          size="sm"
          aria-label={t('Remove passkey: {name}', { name: passkey.name })}
          onClick={() => onRemove(passkey)}
        >
          {t('Remove')}
        </Button>
      ),
    },
  ]
}

function RemoveDialog({ of, onClose }: { of: Passkey; onClose: () => void }) {
  return (
    <ConfirmCall
      call={removePasskey}
      input={{ params: { id: of._id } }}
      title={t('Remove this passkey?')}
      confirm={t('Remove passkey')}
      tone="danger"
      onClose={onClose}
      focusTo={section}
    >
      {t(
        "''{name}'' will no longer log you in, and you’ll be logged out everywhere else. Delete it on your device too.",
        { name: of.name },
      )}
    </ConfirmCall>
  )
}
