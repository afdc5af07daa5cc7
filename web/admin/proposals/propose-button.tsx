import { useId } from 'react'
import { msg } from '#shared/i18n/t.ts'
import { Button } from '#web/ui/button.tsx'

/** Why nothing can be proposed yet: for a moment, so it takes no room. */
export const stillLoading = msg('Still loading')

type ProposeButtonProps = {
  children: string
  /** Why nothing can be proposed now; undefined if it can. */
  blocked: string | undefined
  onClick: () => void
}

/** Opens the dialog of a proposal, or says why it cannot. */
export function ProposeButton({ children, blocked, onClick }: ProposeButtonProps) {
  const id = useId()
  return (
    <div className="grid justify-items-start gap-1.5 sm:justify-items-end">
      <Button disabled={blocked !== undefined} aria-describedby={blocked && id} onClick={onClick}>
        {children}
      </Button>
      {blocked && (
        <p id={id} className={blocked === stillLoading ? 'sr-only' : 'text-ink-soft text-sm'}>
          {blocked}
        </p>
      )}
    </div>
  )
}
