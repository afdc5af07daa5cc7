import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Button, IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { toast, toastDurations } from './toast.ts'
import { hostToasts } from './toast-host.ts'

type DialogProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  wide?: boolean
  /** Opens along the right edge on wide screens. */
  side?: boolean
  /** Where the focus goes on close; default: back. For actions that remove their own button. */
  focusAfter?: () => HTMLElement | undefined
  children: ReactNode
}

/**
 * The room for toasts and the dialog: at the bottom of a phone, else in the middle or at the side. The dialog moves only
 * if toasts would cover it.
 */
const room =
  'pointer-events-none fixed inset-x-0 top-(--banner,0px) bottom-0 z-40 grid grid-cols-1 ' +
  'grid-rows-[minmax(min-content,1fr)_minmax(0,auto)]'
const rooms = {
  amidst: 'sm:grid-rows-[minmax(min-content,1fr)_minmax(0,auto)_minmax(0,1fr)] sm:justify-items-center',
  aside: 'sm:grid-cols-[minmax(0,1fr)_28rem] sm:grid-rows-1',
}
const looks = {
  amidst: 'sm:w-[calc(100vw-3rem)] sm:rounded-md sm:px-8 sm:pb-8',
  aside: 'sm:max-h-none sm:border-y-0 sm:px-8 sm:pb-8',
}

/**
 * A modal dialog: traps and restores the focus, closes on Escape and on outside presses. What was typed or chosen in its fields is
 * lost by neither; a second Escape discards it. Mounts its content anew.
 */
export function Dialog({ open, onClose, title, description, wide, side, focusAfter, children }: DialogProps) {
  const places = usePlaces(open)
  const place = side ? 'aside' : 'amidst'
  useScrollLock(open)
  const isEntered = useRef(false)
  const warning = useRef<{ toast: string; until: number }>(undefined)
  function endWarning() {
    if (warning.current) toast.dismiss(warning.current.toast)
    warning.current = undefined
  }
  function entered({ target }: FormEvent) {
    if (!(target as Element).closest('[role=combobox], [type=search]')) isEntered.current = true
    endWarning()
  }
  function keepEntries(event: Event) {
    const isToast = event.target instanceof Element && event.target.closest('[data-toast]')
    if (isToast || isEntered.current) event.preventDefault()
  }
  function keepEntriesOnce(event: KeyboardEvent) {
    const { timeStamp, repeat } = event
    if (!isEntered.current || (!repeat && warning.current && timeStamp < warning.current.until)) return
    event.preventDefault()
    if (repeat) return
    const id = toast.plain(t('Press Escape again to discard what you entered'))
    warning.current = { toast: id, until: timeStamp + toastDurations.blank }
  }
  const heading = useRef<HTMLHeadingElement>(null)
  function opened(event: Event) {
    isEntered.current = false
    event.preventDefault()
    const first = firstField(event.currentTarget as HTMLElement) ?? heading.current
    first?.focus()
  }
  function closed(event: Event) {
    endWarning()
    // Radix restores the focus only to its own triggers.
    event.preventDefault()
    const next = [focusAfter?.(), ...places].find(isThere)
    // Focus a replacement without scrolling the page.
    next?.focus({ preventScroll: next.tabIndex < 0 })
  }
  return (
    <Radix.Root open={open} onOpenChange={next => !next && onClose()}>
      <Radix.Portal>
        <div className="fixed inset-0 z-40 bg-veil" />
        <div className={cx(room, rooms[place])}>
          {/* Live from the start: what is not is hidden from screen readers while the dialog is open. */}
          <div
            ref={hostToasts}
            aria-live="polite"
            className={cx('w-full self-end has-data-toast:p-4', side && 'sm:self-start')}
          />
          <Radix.Content
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
            onEscapeKeyDown={keepEntriesOnce}
            onInteractOutside={keepEntries}
            onInput={entered}
            onOpenAutoFocus={opened}
            onCloseAutoFocus={closed}
            className={cx(
              'wrap-anywhere max-h-[92dvh] [@media(height>=20rem)]:scroll-pt-36 overflow-y-auto border border-rule bg-surface px-6 pb-6 shadow-lift',
              looks[place],
              !side && (wide ? 'sm:max-w-3xl' : 'sm:max-w-lg'),
            )}
          >
            {/* Stays in sight while a tall dialog scrolls. */}
            <div
              className={cx(
                'sm:-mx-8 -mx-6 [@media(height>=20rem)]:sticky top-0 z-10 flex items-start justify-between gap-4 bg-surface px-6 pt-6 sm:px-8 sm:pt-8',
                description === undefined ? 'pb-5' : 'pb-1',
              )}
            >
              <Radix.Title ref={heading} tabIndex={-1} className="display text-xl outline-none">
                {title}
              </Radix.Title>
              <Radix.Close asChild>
                <IconButton label={t('Close')} className="-mt-2 -me-3">
                  <X aria-hidden="true" />
                </IconButton>
              </Radix.Close>
            </div>
            {description !== undefined && (
              <Radix.Description className="mb-5 text-ink-soft text-sm">{description}</Radix.Description>
            )}
            {children}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** In text order, but not file fields, whose button is elsewhere, and not texts to copy. */
const fieldsOf = ['input:not([type=hidden], [type=file], [readonly])', 'select', 'textarea']
  .map(field => `${field}:enabled`)
  .join()

/** Where people begin: the field that asks for it, or the first one, unless text would be scrolled out of sight. */
function firstField(dialog: HTMLElement): HTMLElement | undefined {
  // `autoFocus` loses to a dialog below, which still traps the focus.
  const asking = dialog.querySelector<HTMLElement>('[data-takes-focus]')
  if (asking) return asking
  const { bottom } = dialog.getBoundingClientRect()
  const first = [...dialog.querySelectorAll<HTMLInputElement>(fieldsOf)].find(field =>
    field.checkVisibility(),
  )
  if (!first || first.getBoundingClientRect().bottom > bottom) return undefined
  return dialog.querySelector<HTMLElement>(`[type=radio][name="${first.name}"]:checked`) ?? first
}

let dialogsOpen = 0

/**
 * Locks scrolling behind a dialog without changing its width. Radix' own overlay adds a style element, which the
 * content security policy forbids.
 */
function useScrollLock(open: boolean) {
  useLayoutEffect(() => {
    if (!open) return
    const { dataset, clientWidth } = document.documentElement
    if (dialogsOpen === 0) dataset.locked = innerWidth > clientWidth ? 'beside-scrollbar' : ''
    dialogsOpen += 1
    return () => {
      dialogsOpen -= 1
      if (dialogsOpen === 0) delete dataset.locked
    }
  }, [open])
}

/**
 * The focused element at opening and focusable parents in case it disappears; read before the dialog takes the focus.
 */
function usePlaces(open: boolean): readonly HTMLElement[] {
  const [last, remember] = useState<{ open: boolean; places: HTMLElement[] }>({ open: false, places: [] })
  if (open === last.open) return last.places
  const places = open ? placesAround(document.activeElement) : last.places
  remember({ open, places })
  return places
}

function placesAround(element: Element | null): HTMLElement[] {
  if (!(element instanceof HTMLElement)) return []
  const around = element.parentElement?.closest('[tabindex="-1"]') ?? null
  return [element, ...placesAround(around)]
}

/** True if it can still take the focus. */
function isThere(element: HTMLElement | undefined): element is HTMLElement {
  return element?.isConnected === true && !element.matches(':disabled')
}

type ConfirmDialogProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** What will happen, with figures. */
  children: ReactNode
  /** Label of the confirm button: 'Approve withdrawal'. */
  confirm: string
  onConfirm: () => void
  /** Label of the other button; for an action that is itself called Cancel. */
  dismiss?: string
  pending?: boolean
  /** The refusal, shown until the next try. */
  refusal?: string
  tone?: 'primary' | 'danger'
  focusAfter?: DialogProps['focusAfter']
}

/** Asks for confirmation. If fields are needed, put a Form into a Dialog. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    open,
    onClose,
    title,
    children,
    confirm,
    onConfirm,
    dismiss = t('Cancel'),
    pending = false,
    refusal,
    tone = 'primary',
    focusAfter,
  } = props
  return (
    <Dialog open={open} onClose={onClose} title={title} focusAfter={focusAfter}>
      <div className="text-ink-soft">{children}</div>
      {refusal !== undefined && <p className="mt-4 text-bad text-sm">{refusal}</p>}
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          {dismiss}
        </Button>
        <Button tone={tone} busy={pending} onClick={onConfirm}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** A dialog's buttons, the action last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-7 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">{children}</div>
}
