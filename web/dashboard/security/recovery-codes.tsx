import { useState } from 'react'
import { save } from '#web/api/download.ts'
import { useSite } from '#web/frame.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

type RecoveryCodesProps = {
  codes: string[]
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

/** Shows new recovery codes, once. */
export function RecoveryCodesDialog({ codes, onClose, focusAfter }: RecoveryCodesProps) {
  const { productName } = useSite().firm
  const text = codes.join('\n')
  // Escape and a press outside are easily made by mistake, and the codes would be gone.
  const [isLeaving, leave] = useState(false)
  function download() {
    const lines = `Recovery codes for your ${productName} account. Each works once.\n\n${text}\n`
    save({ name: 'recovery-codes.txt', content: new Blob([lines], { type: 'text/plain' }) })
  }
  return (
    <Dialog
      open
      onClose={() => leave(true)}
      title="Save your recovery codes"
      description="Use one of these if you can’t reach your authenticator app. Each works once. We won’t show them again."
      focusAfter={focusAfter}
    >
      <div className="grid gap-5">
        <ul
          aria-label="Recovery codes"
          className="grid select-all gap-y-2 rounded-sm bg-sunken px-4 py-4 text-center text-sm font-medium tabular-nums tracking-wider"
        >
          {codes.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-3">
          <CopyButton text={text} label="Copy codes" />
          <Button tone="quiet" size="sm" onClick={download}>
            Download codes
          </Button>
        </div>
        {isLeaving && (
          <p role="alert" className="font-medium text-sm">
            Have you saved your codes? We can’t show them again.
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>I’ve saved my codes</Button>
          {isLeaving && (
            <Button tone="quiet" onClick={() => leave(false)}>
              Not yet
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  )
}
