import { proposeWebhook } from '#shared/contract/webhooks.ts'
import { t } from '#shared/i18n/t.ts'
import { longestIntegrationName, longestWebhookUrl } from '#shared/limits.ts'
import { webhookEventNames, webhookEvents } from '#shared/webhooks.ts'
import { ProposeDialog } from '#web/admin/proposals/propose-dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Choices } from './choices.tsx'

const fields = ['name', 'url', ...webhookEventNames] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values): ValidationError | undefined {
  return mergeErrors(
    missing(values, ['name', 'url'], t('Name and address are required')),
    chosen(values).length === 0
      ? fieldError(webhookEventNames[0]!, t('Choose at least one event'))
      : undefined,
  )
}

const chosen = (values: Values) => webhookEventNames.filter(event => values[event] === 'yes')

/** Proposes a webhook; nothing is sent until another admin approves it. */
export function ProposeWebhook({ onClose }: { onClose: () => void }) {
  return (
    <ProposeDialog
      call={proposeWebhook}
      title={t('Propose a webhook')}
      description={t(
        'We send signed messages to this address: IDs and amounts, no names and no texts. Another admin must approve it.',
      )}
      fields={fields}
      linked={webhookEventNames}
      check={check}
      input={(values, reason) => ({
        body: {
          name: values.name.trim(),
          url: values.url.trim(),
          events: chosen(values),
          reason,
        },
      })}
      onClose={onClose}
    >
      <Field name="name" label={t('Name')} hint={t('The program that receives the messages.')}>
        <Input maxLength={longestIntegrationName} autoComplete="off" autoFocus />
      </Field>
      <Field
        name="url"
        label={t('Address')}
        hint={t('It begins with https:// and is on the public internet.')}
      >
        <Input
          inputMode="url"
          maxLength={longestWebhookUrl}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          className="font-mono text-sm rtl:text-end"
        />
      </Field>
      <Choices legend={t('Events')} names={webhookEventNames} words={webhookEvents} />
    </ProposeDialog>
  )
}
