import { useState } from 'react'
import {
  createWebhookSecret,
  removeWebhook,
  resumeWebhook,
  stopWebhook,
  testWebhook,
  type Webhook,
} from '#shared/contract/webhooks.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { formerSecretHours, webhookLogDays } from '#shared/limits.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { useMutation } from '#web/api/mutation.ts'
import { CreateOnce } from './create-once.tsx'
import { webhookFacts } from './words.tsx'

/** What can be done with a webhook; any admin may. */
export function webhookActions(webhook: Webhook): Action[] {
  const { status, name } = webhook
  if (status === 'removed') return []
  const remove: Action = {
    label: t('Remove'),
    of: name,
    tone: 'danger',
    call: removeWebhook,
    dialog: close => <Remove webhook={webhook} onClose={close} />,
  }
  const secret: Action = {
    label: webhook.hasSecret ? t('Replace secret') : t('Create secret'),
    of: t('for {name}', { name }, 'after an action'),
    call: createWebhookSecret,
    dialog: close => <CreateSecret webhook={webhook} onClose={close} />,
  }
  const resume: Action = {
    label: status === 'failing' ? t('Try now') : t('Resume'),
    of: name,
    call: resumeWebhook,
    dialog: close => <Resume webhook={webhook} onClose={close} />,
  }
  const test: Action = {
    label: t('Send a test'),
    of: t('to {name}', { name }, 'after an action'),
    call: testWebhook,
    dialog: close => <Test webhook={webhook} onClose={close} />,
  }
  const stop: Action = {
    label: t('Stop'),
    of: name,
    call: stopWebhook,
    dialog: close => <Stop webhook={webhook} onClose={close} />,
  }
  if (status === 'approved') return [secret, remove]
  if (status === 'stopped') return [resume, secret, remove]
  return [...(status === 'failing' ? [resume] : []), test, secret, stop, remove]
}

type WebhookProps = { webhook: Webhook; onClose: () => void }

function Remove({ webhook, onClose }: WebhookProps) {
  return (
    <ReasonDialog
      call={removeWebhook}
      reader="log"
      title={t('Remove this webhook?')}
      description={t('We send nothing more, not even the messages that wait. This cannot be undone.')}
      entries={[...webhookFacts(webhook), ...waiting(webhook)]}
      confirm={t('Remove webhook')}
      tone="danger"
      input={reason => ({ params: { id: webhook._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function Stop({ webhook, onClose }: WebhookProps) {
  return (
    <ReasonDialog
      call={stopWebhook}
      reader="log"
      title={t('Stop this webhook?')}
      description={t(
        'Messages wait until an admin resumes it. After {days, plural, one {# day} other {# days}} we delete them unsent.',
        { days: webhookLogDays },
      )}
      entries={[...named(webhook), ...waiting(webhook)]}
      confirm={t('Stop webhook')}
      input={reason => ({ params: { id: webhook._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

const named = ({ name, url }: Webhook): Entry[] => [
  [t('Webhook'), name],
  [t('Address'), <bdi key="url">{url}</bdi>],
]
const waiting = (webhook: Webhook): Entry[] => [[t('Messages waiting'), number(webhook.waiting)]]

function Resume({ webhook, onClose }: WebhookProps) {
  const isStopped = webhook.status === 'stopped'
  return (
    <ActionDialog
      call={resumeWebhook}
      title={isStopped ? t('Resume this webhook?') : t('Try this webhook now?')}
      description={t('We send what waits, the oldest message first.')}
      entries={[...named(webhook), ...waiting(webhook)]}
      confirm={isStopped ? t('Resume webhook') : t('Try now')}
      success={isStopped ? t('Webhook resumed') : t('Trying now')}
      input={() => ({ params: { id: webhook._id } })}
      onClose={onClose}
    />
  )
}

function Test({ webhook, onClose }: WebhookProps) {
  return (
    <ActionDialog
      call={testWebhook}
      title={t('Send a test event?')}
      description={t('It contains no real data. The deliveries below show how your program answers.')}
      entries={named(webhook)}
      confirm={t('Send test event')}
      input={() => ({ params: { id: webhook._id } })}
      onClose={onClose}
    />
  )
}

function CreateSecret({ webhook, onClose }: WebhookProps) {
  const [text, setText] = useState<string>()
  const { run, pending, error } = useMutation(createWebhookSecret, {
    onSuccess: ({ secret }) => setText(secret),
  })
  return (
    <CreateOnce
      of="secret"
      title={webhook.hasSecret ? t('Replace the secret?') : t('Create the secret?')}
      confirm={webhook.hasSecret ? t('Replace secret') : t('Create secret')}
      entries={webhookFacts(webhook)}
      onCreate={() => void run({ params: { id: webhook._id } })}
      pending={pending}
      refusal={error?.message}
      text={text}
      shownTitle={t('Save this secret')}
      shownDescription={t(
        'Your program checks each message’s signature with it. Keep it in a secret store, never in code. We cannot show it again.',
      )}
      onClose={onClose}
    >
      {webhook.hasSecret
        ? t(
            'For {hours, plural, one {# hour} other {# hours}} we sign with both secrets, then with the new one alone.',
            { hours: formerSecretHours },
          )
        : t('From then on we send messages.')}
    </CreateOnce>
  )
}
