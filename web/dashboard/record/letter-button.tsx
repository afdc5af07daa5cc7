import { Download } from 'lucide-react'
import { investmentLetter } from '#shared/contract/investments.ts'
import { t } from '#shared/i18n/t.ts'
import { useDownload } from '#web/api/download.ts'
import { zone } from '#web/components/days.ts'
import { Button } from '#web/ui/button.tsx'

/** Saves the letter that confirms an investment as it is now. */
export function LetterButton({ id }: { id: string }) {
  const { run, pending } = useDownload(investmentLetter)
  return (
    <Button
      tone="quiet"
      size="sm"
      className="justify-self-start"
      busy={pending}
      onClick={() => run({ params: { id }, query: { zone: zone() } })}
    >
      <Download aria-hidden="true" />
      {t('Confirmation letter')}
    </Button>
  )
}
