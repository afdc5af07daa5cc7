import { Suspense, useState } from 'react'
import type { PayoutAddress } from '#shared/contract/addresses.ts'
import { listOwnAddresses } from '#shared/contract/addresses.ts'
import { t } from '#shared/i18n/t.ts'
import { type List, useList } from '#web/api/list.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { AddressDialog } from '#web/dashboard/dialogs.tsx'
import { useSite } from '#web/frame.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import type { AddressTask } from './address-task.ts'

const anchor = 'address-book'

/** The investor's addresses for withdrawals (D-30): add, rename, remove. */
export function AddressBook() {
  const list = useList(listOwnAddresses)
  const [task, setTask] = useState<AddressTask>()
  return (
    <Section
      title={t('Address book')}
      anchor={anchor}
      className="scroll-mt-28 outline-none"
      aside={
        <Button tone="quiet" size="sm" onClick={() => setTask({ do: 'add' })}>
          {t('Add an address')}
        </Button>
      }
    >
      <p className="mb-4 max-w-2xl text-ink-soft text-sm">
        {t('Withdrawals go only to saved addresses. Adding one may need your password, and we’ll email you.')}
        <Waiting />
      </p>
      <Addresses list={list} onTask={setTask} />
      <Suspense>
        {task && (
          <AddressDialog
            task={task}
            onClose={() => setTask(undefined)}
            afterRemoval={() => document.getElementById(anchor) ?? undefined}
          />
        )}
      </Suspense>
    </Section>
  )
}

function Waiting() {
  const { addressWaitHours: hours } = useSite()
  if (hours === 0) return null
  return ` ${t('You can use it {hours, plural, one {# hour} other {# hours}} later.', { hours })}`
}

type AddressesProps = { list: List<PayoutAddress>; onTask: (task: AddressTask) => void }

function Addresses({ list, onTask }: AddressesProps) {
  const empty = (
    <EmptyState>{t('Your address book is empty. Your first withdrawal adds its address.')}</EmptyState>
  )
  return (
    <ListStates list={list} of={t('your address book')} empty={empty}>
      {rows => (
        <Table
          caption={t('Your addresses for withdrawals, the newest first')}
          columns={columnsOf(onTask)}
          rows={rows}
          keyOf={({ _id }) => _id}
        />
      )}
    </ListStates>
  )
}

function columnsOf(onTask: (task: AddressTask) => void): readonly Column<PayoutAddress>[] {
  return [
    {
      header: t('Address'),
      cell: ({ label, address }) => (
        <span className="block max-w-96">
          {label && <bdi>{label}</bdi>}
          <span className={cx('wrap-anywhere block', label && 'text-ink-faint text-sm')}>
            <bdi>{address}</bdi>
          </span>
        </span>
      ),
    },
    { header: t('Wallet'), cell: ({ wallet }) => wallet },
    { header: t('First used'), cell: of => (of.firstUsedAt ? <When at={of.firstUsedAt} /> : t('Not yet')) },
    { header: t('Usable from'), cell: of => <UsableFrom of={of} /> },
    {
      header: t('Actions'),
      bare: true,
      numeric: true,
      cell: address => <Tasks address={address} onTask={onTask} />,
    },
  ]
}

function UsableFrom({ of: { createdAt, usableFrom } }: { of: PayoutAddress }) {
  const waits = usableFrom !== null && Date.parse(usableFrom) > Date.now()
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <When at={usableFrom ?? createdAt} />
      {waits && <Badge tone="wait">{t('Waiting')}</Badge>}
    </span>
  )
}

type TasksProps = { address: PayoutAddress; onTask: (task: AddressTask) => void }

function Tasks({ address, onTask }: TasksProps) {
  const name = address.label ?? address.address
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button
        tone="quiet"
        size="sm"
        aria-label={t('Rename {name}', { name })}
        onClick={() => onTask({ do: 'rename', address })}
      >
        {t('Rename')}
      </Button>
      <Button
        tone="quiet"
        size="sm"
        aria-label={t('Remove {name}', { name })}
        onClick={() => onTask({ do: 'remove', address })}
      >
        {t('Remove')}
      </Button>
    </span>
  )
}
