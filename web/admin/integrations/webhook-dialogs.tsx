import { useState } from 'react'
import {
  createWebhookSecret,
  proposeWebhook,
  redeliver,
  removeWebhook,
  resumeWebhook,
  stopWebhook,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '#shared/contract/webhooks.ts'
import {
  formerSecretHours,
  longestIntegrationName,
  longestWebhookUrl,
  webhookLogDays,
} from '#shared/limits.ts'
import { webhookEventNames, webhookEvents } from '#shared/webhooks.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { useMutation } from '#web/api/mutation.ts'
import { When } from '#web/components/when.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Choices } from './choices.tsx'
import { SecretShown } from './secret-shown.tsx'
import { eventWords, webhookFacts } from './words.tsx'

const fields = ['name', 'url', ...webhookEventNames, 'reason'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values): ValidationError | undefined {
  return mergeErrors(
    missing(values, ['name', 'url'], 'Name and address are required'),
    chosen(values).length === 0 ? fieldError(webhookEventNames[0]!, 'Choose at least one event') : undefined,
    reasonError(values),
  )
}

const chosen = (values: Values) => webhookEventNames.filter(event => values[event] === 'yes')

/** Proposes a webhook; nothing is sent until another admin approves it. */
export function ProposeWebhook({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={proposeWebhook}
      title="Propose a webhook"
      description="We send signed messages to this address: IDs and amounts, no names and no texts. Another admin must approve it."
      entries={[]}
      fields={fields}
      check={check}
      confirm="Propose"
      input={values => ({
        body: {
          name: values.name.trim(),
          url: values.url.trim(),
          events: chosen(values),
          reason: values.reason.trim(),
        },
      })}
      onClose={onClose}
      // The new proposal shows there.
      focusTo={() => document.getElementById(proposalsAnchor)}
    >
      <Field name="name" label="Name" hint="The program that receives the messages.">
        <Input maxLength={longestIntegrationName} autoComplete="off" autoFocus />
      </Field>
      <Field name="url" label="Address" hint="It begins with https:// and is on the public internet.">
        <Input
          inputMode="url"
          maxLength={longestWebhookUrl}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
        />
      </Field>
      <Choices legend="Events" names={webhookEventNames} words={webhookEvents} />
      <ReasonField />
    </ActionDialog>
  )
}

/** What can be done with a webhook; any admin may. */
export function webhookActions(webhook: Webhook): Action[] {
  const { status, name: of } = webhook
  if (status === 'removed') return []
  const remove: Action = {
    label: 'Remove',
    of,
    tone: 'danger',
    call: removeWebhook,
    dialog: close => <Remove webhook={webhook} onClose={close} />,
  }
  const secret: Action = {
    label: webhook.hasSecret ? 'Replace secret' : 'Create secret',
    of,
    call: createWebhookSecret,
    dialog: close => <CreateSecret webhook={webhook} onClose={close} />,
  }
  const resume: Action = {
    label: status === 'failing' ? 'Try now' : 'Resume',
    of,
    call: resumeWebhook,
    dialog: close => <Resume webhook={webhook} onClose={close} />,
  }
  const test: Action = {
    label: 'Send a test',
    of,
    call: testWebhook,
    dialog: close => <Test webhook={webhook} onClose={close} />,
  }
  const stop: Action = {
    label: 'Stop',
    of,
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
      title="Remove this webhook?"
      description="We send nothing more, not even the messages that wait. This cannot be undone."
      entries={[...webhookFacts(webhook), ...waiting(webhook)]}
      confirm="Remove webhook"
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
      title="Stop this webhook?"
      description={`Messages wait until an admin resumes it. After ${webhookLogDays} days we delete them unsent.`}
      entries={[['Webhook', webhook.name], ['Address', webhook.url], ...waiting(webhook)]}
      confirm="Stop webhook"
      input={reason => ({ params: { id: webhook._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

const waiting = (webhook: Webhook) => [['Messages waiting', webhook.waiting.toLocaleString('en')]] as const

function Resume({ webhook, onClose }: WebhookProps) {
  const isStopped = webhook.status === 'stopped'
  return (
    <ActionDialog
      call={resumeWebhook}
      title={isStopped ? 'Resume this webhook?' : 'Try this webhook now?'}
      description="We send what waits, the oldest message first."
      entries={[['Webhook', webhook.name], ['Address', webhook.url], ...waiting(webhook)]}
      confirm={isStopped ? 'Resume webhook' : 'Try now'}
      success={isStopped ? 'Webhook resumed' : 'Trying now'}
      input={() => ({ params: { id: webhook._id } })}
      onClose={onClose}
    />
  )
}

function Test({ webhook, onClose }: WebhookProps) {
  return (
    <ActionDialog
      call={testWebhook}
      title="Send a test event?"
      description="It is about no record. The deliveries below show how your program answers."
      entries={[
        ['Webhook', webhook.name],
        ['Address', webhook.url],
      ]}
      confirm="Send test event"
      input={() => ({ params: { id: webhook._id } })}
      onClose={onClose}
    />
  )
}

/** Creates or replaces a secret, then shows it once. */
function CreateSecret({ webhook, onClose }: WebhookProps) {
  const [text, setText] = useState<string>()
  const [home] = useState(focusHomeHere)
  const { run, pending } = useMutation(createWebhookSecret, { onSuccess: ({ secret }) => setText(secret) })
  if (text !== undefined) {
    return (
      <SecretShown
        of="secret"
        title="Save this secret"
        description="Your program checks each message’s signature with it. Keep it in a secret store, never in code. We cannot show it again."
        text={text}
        onClose={onClose}
        focusAfter={() => home}
      />
    )
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={webhook.hasSecret ? 'Replace the secret?' : 'Create the secret?'}
      confirm={webhook.hasSecret ? 'Replace secret' : 'Create secret'}
      onConfirm={() => void run({ params: { id: webhook._id } })}
      pending={pending}
    >
      <p className="mb-4">
        {webhook.hasSecret
          ? `For ${formerSecretHours} hours we sign with both secrets, then with the new one alone.`
          : 'From then on we send messages.'}{' '}
        We show it once, so have the place ready where you will keep it.
      </p>
      <DescriptionList entries={webhookFacts(webhook)} />
    </ConfirmDialog>
  )
}

/** A message is sent again once it was delivered or has failed. */
export function deliveryActions(delivery: WebhookDelivery): Action[] {
  if (delivery.status === 'pending' || delivery.webhookRemoved) return []
  const { event, webhookName } = delivery
  return [
    {
      label: 'Send again',
      of: `${eventWords(event)}, to ${webhookName}`,
      call: redeliver,
      dialog: close => (
        <ActionDialog
          call={redeliver}
          title="Send this message again?"
          description="With the same ID and content, so that your program can tell it is a repetition."
          entries={[
            ['Webhook', webhookName],
            ['Event', eventWords(event)],
            ['Happened', <When key="happened" at={delivery.happenedAt} />],
          ]}
          confirm="Send again"
          input={() => ({ params: { id: delivery._id } })}
          onClose={close}
        />
      ),
    },
  ]
}
