import { t } from '#shared/i18n/t.ts'
import { save } from '#web/api/download.ts'
import { OnceOnlyDialog } from '#web/components/once-only-dialog.tsx'
import { useSite } from '#web/frame.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'

type RecoveryCodesProps = {
  codes: string[]
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

/** Shows new recovery codes, once. */
export function RecoveryCodesDialog({ codes, onClose, focusAfter }: RecoveryCodesProps) {
  const { productName } = useSite().firm
  const text = codes.join('\n')
  function download() {
    const head = t('Recovery codes for your {product} account. Each works once.', { product: productName })
    const lines = `${head}\n\n${text}\n`
    save({ name: 'recovery-codes.txt', content: new Blob([lines], { type: 'text/plain' }) })
  }
  return (
    <OnceOnlyDialog
      title={t('Save your recovery codes')}
      description={t(
        'Use one of these if you can’t reach your authenticator app. Each works once. We won’t show them again.',
      )}
      question={t('Have you saved your codes? We can’t show them again.')}
      done={t('I’ve saved my codes')}
      onClose={onClose}
      focusAfter={focusAfter}
    >
      <ul
        dir="ltr"
        aria-label={t('Recovery codes')}
        className="grid select-all gap-y-2 rounded-sm bg-sunken px-4 py-4 text-center text-sm font-medium tabular-nums tracking-wider"
      >
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={text} label={t('Copy codes')} />
        <Button tone="quiet" size="sm" onClick={download}>
          {t('Download codes')}
        </Button>
      </div>
    </OnceOnlyDialog>
  )
}
