import { Download } from 'lucide-react'
import { downloadArchive } from '#shared/contract/archive.ts'
import { t } from '#shared/i18n/t.ts'
import { useDownload } from '#web/api/download.ts'
import { zone } from '#web/components/days.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'

/** Everything that the firm holds about the user, as one file. */
export function YourData() {
  const { run, pending } = useDownload(downloadArchive)
  return (
    <div className="grid max-w-3xl justify-items-start gap-4">
      <p className="text-ink-soft">
        {t(
          'Download everything we hold about you as one ZIP file: your profile, logins, records, every posting of your accounts, messages with their files, yearly statements and letters. Its README explains each file. We email you each time, and may ask for your password first.',
        )}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button tone="quiet" busy={pending} onClick={() => void run({ query: { zone: zone() } })}>
          <Download aria-hidden="true" />
          {t('Download all my data')}
        </Button>
        <LinkButton to={paths.dashboard.closeAccount} tone="quiet">
          {t('Close my account')}
        </LinkButton>
      </div>
    </div>
  )
}
