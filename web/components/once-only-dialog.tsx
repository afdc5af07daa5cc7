import { type ReactNode, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

type OnceOnlyProps = {
  title: string
  description: string
  /** Asked before it is left by mistake. */
  question: string
  /** Says that it is saved, and leaves. */
  done: string
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
  children: ReactNode
}

/** Shows a secret that nothing shows again: Escape and a press outside, easily made by mistake, only ask. */
export function OnceOnlyDialog({
  title,
  description,
  question,
  done,
  onClose,
  focusAfter,
  children,
}: OnceOnlyProps) {
  const [isLeaving, leave] = useState(false)
  return (
    <Dialog open onClose={() => leave(true)} title={title} description={description} focusAfter={focusAfter}>
      <div className="grid gap-5">
        {children}
        {isLeaving && (
          <p role="alert" className="font-medium text-sm">
            {question}
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>{done}</Button>
          {isLeaving && (
            <Button tone="quiet" onClick={() => leave(false)}>
              {t('Not yet')}
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  )
}
