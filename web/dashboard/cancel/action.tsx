import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { me } from '#shared/contract/accounts.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { usePreload } from '#web/preload.ts'
import { Button } from '#web/ui/button.tsx'
import type { Request } from './request.ts'

const load = () => import('./dialog.tsx')
const CancelDialog = lazy(load)

type CancellableProps = {
  of: Request
  /** In a row or a card, the link to the record: it takes the focus once the button is gone. */
  children?: ReactNode
}

/** Cancels a request while that is possible. */
export function Cancellable({ of, children }: CancellableProps) {
  const [asking, ask] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  const { data: user } = useRead(me, {})
  const open = isOpen(of) && user?.frozen !== true
  usePreload(load, open)
  if (!children && !asking && !open) return null
  return (
    <span ref={place} className="inline-flex flex-wrap justify-end gap-2 justify-self-start">
      {children}
      {open && (
        <Button
          tone="quiet"
          size="sm"
          aria-label={t(
            '{kind, select, deposit {Cancel deposit {number}} investment {Cancel investment {number}} other {Cancel withdrawal {number}}}',
            { kind: of.kind, number: of.record.invoiceId },
          )}
          onClick={() => ask(true)}
        >
          {children
            ? t('Cancel', {}, 'a request')
            : t(
                '{kind, select, deposit {Cancel deposit} investment {Cancel investment} other {Cancel withdrawal}}',
                { kind: of.kind },
              )}
        </Button>
      )}
      <Suspense>
        {asking && (
          <CancelDialog
            of={of}
            onClose={() => ask(false)}
            afterCancel={() => place.current?.querySelector('a') ?? undefined}
          />
        )}
      </Suspense>
    </span>
  )
}

function isOpen({ kind, record }: Request): boolean {
  return kind === 'deposit' ? record.canCancel : record.status === 'pending'
}
