import type { ReactNode } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Dialog } from '#web/ui/dialog.tsx'

/** Versions in a dialog. */
export function HistoryDialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Dialog open onClose={onClose} title={title} description={t('Who changed what, when and why.')} wide>
      {children}
    </Dialog>
  )
}
