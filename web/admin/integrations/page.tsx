import { useState } from 'react'
import { getSettings } from '#shared/contract/settings.ts'
import { ProposalsSection } from '#web/admin/proposals/list.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { useRead } from '#web/api/read.ts'
import { pageMeta } from '#web/meta.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { ProposeKey } from './key-dialogs.tsx'
import { KeysSection } from './keys.tsx'

export const meta = pageMeta('Integrations')

/** The firm's own programs that read from here. */
export default function IntegrationsPage() {
  const { data } = useRead(getSettings, {})
  const [isOpen, setOpen] = useState(false)
  const blocked = data === undefined || data.admins < 2
  return (
    <>
      <PageHead
        title="Integrations"
        lead={
          <>
            Programs of the firm that read from here. Each one needs two admins. All calls are in the{' '}
            <a className="prose-link" href="/api/docs">
              API reference
            </a>
            .
          </>
        }
        aside={
          <Button
            disabled={blocked}
            title={blocked ? 'This needs two admins' : undefined}
            onClick={() => setOpen(true)}
          >
            Propose an API key
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <KeysSection />
        <ProposalsSection kind="integrations" />
      </div>
      {isOpen && <ProposeKey onClose={() => setOpen(false)} />}
    </>
  )
}
