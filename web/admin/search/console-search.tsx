import { Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { useLeaving } from '#web/admin/leaving.ts'
import type { WorkspaceEntry } from '#web/components/workspace.tsx'
import { usePreload } from '#web/preload.ts'

const load = () => import('./search-dialog.tsx')
/** Not in the page's own script. */
const SearchDialog = lazy(load)

/** Finds a page, a person or a record from anywhere in the console: a button, and ⌘K or Ctrl+K. */
export function ConsoleSearch({ pages }: { pages: readonly WorkspaceEntry[] }) {
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  useLeaving(close)
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  useShortcut(isMac, setOpen)
  // Keys typed right after the shortcut would be lost while it loads.
  usePreload(load)
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
        className="-my-1.5 me-auto flex min-h-9 shrink-0 items-center gap-2.5 rounded-sm border border-edge bg-surface px-3 text-ink-soft hover:border-ink-soft hover:text-ink sm:min-w-52 [&_svg]:size-4"
      >
        <Search aria-hidden="true" />
        {t('Search')}
        <span
          aria-hidden="true"
          className="ms-auto hidden rounded-sm border border-rule px-1.5 font-sans text-ink-faint text-xs sm:block"
          dir="ltr"
        >
          {isMac ? '⌘K' : t('Ctrl K')}
        </span>
      </button>
      <Suspense>{open && <SearchDialog pages={pages} onClose={close} />}</Suspense>
    </>
  )
}

/** On a Mac, Ctrl+K deletes to the end of a line. */
function useShortcut(isMac: boolean, setOpen: (open: true) => void) {
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      const { key, metaKey, ctrlKey, shiftKey, altKey } = event
      const isHeld = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey
      if (key.toLowerCase() !== 'k' || !isHeld || shiftKey || altKey) return
      event.preventDefault()
      // A dialog that is open may hold what somebody has entered.
      if (!document.querySelector('[role=dialog]')) setOpen(true)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [isMac, setOpen])
}
