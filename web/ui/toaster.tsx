import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { resolveValue, type Toast, useToaster } from 'react-hot-toast/headless'
import { t } from '#shared/i18n/t.ts'
import { cx } from './cx.ts'
import { toast, toastHost } from './toast.ts'

const top = () => toastHost.element
const follow = (listener: () => void) => {
  toastHost.changed = listener
  return () => {}
}

const overPage = 'pointer-events-none fixed inset-x-0 top-(--banner,0px) z-50 p-4'

/** Shows toasts, above a dialog if one is open; they pause while hovered or focused and are announced. */
export function Toaster() {
  const { toasts, handlers } = useToaster()
  const host = useSyncExternalStore(follow, top, () => undefined)
  const section = (
    <section
      aria-label={t('Messages')}
      aria-live={host ? undefined : 'polite'}
      className={cx('grid justify-items-center gap-2', !host && overPage)}
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocus={handlers.startPause}
      onBlur={handlers.endPause}
    >
      {toasts
        .filter(one => one.visible)
        .map(one => (
          <Notice key={one.id} notice={one} />
        ))}
    </section>
  )
  return host ? createPortal(section, host) : section
}

const looks = {
  error: 'border-s-bad',
  success: 'border-s-good',
  loading: 'border-s-edge',
  blank: 'border-s-accent',
  custom: 'border-s-accent',
}

function Notice({ notice }: { notice: Toast }) {
  return (
    <div
      data-toast={notice.type}
      role={notice.type === 'error' ? 'alert' : undefined}
      className={cx(
        'pointer-events-auto flex w-full max-w-md items-start gap-3 rounded-sm border border-rule border-s-4 bg-surface',
        'py-3 ps-4 pe-2 text-sm shadow-lift',
        looks[notice.type],
      )}
    >
      <Mark type={notice.type} />
      <p className="wrap-anywhere flex-1">{resolveValue(notice.message, notice)}</p>
      <button
        type="button"
        aria-label={t('Dismiss')}
        className="-my-1 grid size-8 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink [&_svg]:size-4"
        onClick={() => toast.dismiss(notice.id)}
      >
        <X aria-hidden="true" />
      </button>
    </div>
  )
}

function Mark({ type }: { type: Toast['type'] }) {
  const look = 'mt-px size-4.5 shrink-0'
  if (type === 'error') return <CircleAlert aria-hidden="true" className={cx(look, 'text-bad')} />
  if (type === 'success') return <CircleCheck aria-hidden="true" className={cx(look, 'text-good')} />
  if (type === 'loading')
    return <LoaderCircle aria-hidden="true" className={cx(look, 'motion-safe:animate-spin')} />
  return null
}
