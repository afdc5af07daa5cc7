import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState } from 'react'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { IconButton } from '#web/ui/button.tsx'
import { unchanged } from './what-changes.tsx'

type Item = { id: string; name: string; note?: string }

type OrderDialogProps<C extends CallDefinition> = {
  call: C
  /** What is reordered, in the reader's language: t('plans'). */
  of: string
  items: readonly Item[]
  input: (ids: string[]) => CallInput<C>
  onClose: () => void
}

/** Reorders a list with buttons and saves it as a whole. */
export function OrderDialog<C extends CallDefinition>({
  call,
  of,
  items,
  input,
  onClose,
}: OrderDialogProps<C>) {
  const [order, setOrder] = useState(items)
  const [said, setSaid] = useState('')
  function move(place: number, by: 1 | -1) {
    const moved = order[place]!
    const next = order.toSpliced(place, 1).toSpliced(place + by, 0, moved)
    setOrder(next)
    setSaid(
      t('{name} is number {place, number} of {count, number}', {
        name: moved.name,
        place: place + by + 1,
        count: next.length,
      }),
    )
  }
  return (
    <ActionDialog
      call={call}
      title={t('Reorder {list}', { list: of })}
      description={t('Public pages use this order.')}
      entries={[]}
      check={() => (order.every(({ id }, place) => id === items[place]?.id) ? unchanged : undefined)}
      optionalReason="log"
      confirm={t('Save order')}
      input={() => input(order.map(({ id }) => id))}
      onClose={onClose}
    >
      <ol className="grid">
        {order.map(({ id, name, note }, place) => (
          <li key={id} className="flex items-center justify-between gap-4 border-rule border-b py-1">
            <span>
              <span className="me-3 text-ink-faint tabular-nums">{place + 1}</span>
              <bdi>{name}</bdi>
              {note && <span className="text-ink-faint text-sm"> {note}</span>}
            </span>
            <span className="flex">
              <IconButton
                label={t('Move {name} up', { name })}
                disabled={place === 0}
                onClick={() => move(place, -1)}
              >
                <ArrowUp aria-hidden="true" />
              </IconButton>
              <IconButton
                label={t('Move {name} down', { name })}
                disabled={place === order.length - 1}
                data-takes-focus={place === 0 || undefined}
                onClick={() => move(place, 1)}
              >
                <ArrowDown aria-hidden="true" />
              </IconButton>
            </span>
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
    </ActionDialog>
  )
}
