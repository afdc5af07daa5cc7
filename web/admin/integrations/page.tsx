import { useState } from 'react'
import { ProposalsSection, useTooFewAdmins } from '#web/admin/proposals/list.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { pageMeta } from '#web/meta.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { DeliveriesSection } from './deliveries.tsx'
import { ProposeKey } from './key-dialogs.tsx'
import { KeysSection } from './keys.tsx'
import { ProposeWebhook } from './propose-webhook.tsx'
import { WebhooksSection } from './webhooks.tsx'

export const meta = pageMeta('Integrations')

/** The firm's own programs: keys to read with, and webhooks that notify them of events. */
export default function IntegrationsPage() {
  const [proposed, propose] = useState<'key' | 'webhook'>()
  const blocked = useTooFewAdmins()
  const state = { disabled: blocked !== undefined, title: blocked }
  return (
    <>
      <PageHead
        title="Integrations"
        lead={
          <>
            Your own programs: keys to read our data with, and webhooks that tell them of events. Each one
            needs two admins. All calls are in the{' '}
            <a className="prose-link" href="/api/docs">
              API reference
            </a>
            .
          </>
        }
        aside={
          <>
            <Button {...state} onClick={() => propose('key')}>
              Propose an API key
            </Button>
            <Button {...state} onClick={() => propose('webhook')}>
              Propose a webhook
            </Button>
          </>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <KeysSection />
        <WebhooksSection />
        <DeliveriesSection />
        <ProposalsSection kind="integrations" />
      </div>
      {proposed === 'key' && <ProposeKey onClose={() => propose(undefined)} />}
      {proposed === 'webhook' && <ProposeWebhook onClose={() => propose(undefined)} />}
    </>
  )
}
