import { useState } from 'react'
import { msg, t } from '#shared/i18n/t.ts'
import { ProposalsSection, useTooFewAdmins } from '#web/admin/proposals/list.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { DeliveriesSection } from './deliveries.tsx'
import { ProposeKey } from './key-dialogs.tsx'
import { KeysSection } from './keys.tsx'
import { ProposeWebhook } from './propose-webhook.tsx'
import { WebhooksSection } from './webhooks.tsx'

export const meta = pageMeta(msg('Integrations'))

/** The firm's own programs: keys to read with, and webhooks that notify them of events. */
export default function IntegrationsPage() {
  const [proposed, propose] = useState<'key' | 'webhook'>()
  const blocked = useTooFewAdmins()
  const state = { disabled: blocked !== undefined, title: blocked }
  return (
    <>
      <PageHead
        title={t('Integrations')}
        lead={tr(
          'Your own programs: keys to read our data with, and webhooks that tell them of events. Each one needs two admins. All calls are in the <a>API reference</a>.',
          {
            a: words => (
              <a className="prose-link" href="/api/docs">
                {words}
              </a>
            ),
          },
        )}
        aside={
          <>
            <Button {...state} onClick={() => propose('key')}>
              {t('Propose an API key')}
            </Button>
            <Button {...state} onClick={() => propose('webhook')}>
              {t('Propose a webhook')}
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
