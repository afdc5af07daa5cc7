import { useState } from 'react'
import { type ApiKey, createApiKey, proposeApiKey, revokeApiKey } from '#shared/contract/api-keys.ts'
import { t } from '#shared/i18n/t.ts'
import { apiKeyDays, longestIntegrationName } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import { apiKeyRights } from '#shared/roles.ts'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ProposeDialog } from '#web/admin/proposals/propose-dialog.tsx'
import { useMutation } from '#web/api/mutation.ts'
import { utcToday } from '#web/components/days.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { Choices } from './choices.tsx'
import { CreateOnce } from './create-once.tsx'
import { keyFacts, rightWords } from './words.tsx'

const fields = ['name', ...apiKeyRights, 'addresses', 'until'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values): ValidationError | undefined {
  return mergeErrors(
    missing(values, ['name', 'addresses', 'until'], t('Name, addresses and last day are required')),
    chosen(values).length === 0 ? fieldError(apiKeyRights[0], t('Choose what the key may read')) : undefined,
  )
}

const chosen = (values: Values) => apiKeyRights.filter(right => values[right] === 'yes')
const linesOf = (text: string) => text.split(/[\s,]+/).filter(line => line !== '')

/** Proposes an API key; nothing exists until another admin approves it. */
export function ProposeKey({ onClose }: { onClose: () => void }) {
  return (
    <ProposeDialog
      call={proposeApiKey}
      title={t('Propose an API key')}
      description={t('A key only reads. Once another admin approves it, you create it and see it once.')}
      fields={fields}
      linked={apiKeyRights}
      check={check}
      input={(values, reason) => ({
        body: {
          name: values.name.trim(),
          rights: chosen(values),
          addresses: linesOf(values.addresses),
          until: values.until,
          reason,
        },
      })}
      onClose={onClose}
    >
      <Field
        name="name"
        label={t('Name')}
        hint={t('The program that will use it. The audit log shows this name.')}
      >
        <Input maxLength={longestIntegrationName} autoComplete="off" autoFocus />
      </Field>
      <Choices legend={t('What it may read')} names={apiKeyRights} words={rightWords} />
      <Field
        name="addresses"
        label={t('IP addresses and ranges')}
        hint={t('From which it works, one on each line: 203.0.113.7 or 203.0.113.0/24.')}
      >
        <Textarea
          rows={3}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-sm rtl:text-end"
        />
      </Field>
      <Field name="until" label={t('Last day')} hint={t('In UTC, at most a year ahead.')}>
        <Input type="date" min={utcToday()} max={dayAfter(new Date(), apiKeyDays)} />
      </Field>
    </ProposeDialog>
  )
}

/** What can be done with a key: only its proposer creates it, any admin revokes it. */
export function keyActions(apiKey: ApiKey, ownId: string | undefined): Action[] {
  const { status, proposedBy, name } = apiKey
  if (status === 'revoked') return []
  const revoke: Action = {
    label: t('Revoke'),
    of: name,
    tone: 'danger',
    call: revokeApiKey,
    dialog: close => <Revoke apiKey={apiKey} onClose={close} />,
  }
  if (status !== 'approved' || proposedBy !== ownId) return [revoke]
  const create: Action = {
    label: t('Create key'),
    of: t('for {name}', { name }, 'after an action'),
    call: createApiKey,
    dialog: close => <CreateKey apiKey={apiKey} onClose={close} />,
  }
  return [create, revoke]
}

type KeyProps = { apiKey: ApiKey; onClose: () => void }

function Revoke({ apiKey, onClose }: KeyProps) {
  return (
    <ReasonDialog
      call={revokeApiKey}
      reader="log"
      title={t('Revoke this API key?')}
      description={t('Its next request is refused. This cannot be undone.')}
      entries={keyFacts(apiKey)}
      confirm={t('Revoke key')}
      tone="danger"
      input={reason => ({ params: { id: apiKey._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function CreateKey({ apiKey, onClose }: KeyProps) {
  const [text, setText] = useState<string>()
  const { run, pending, error } = useMutation(createApiKey, { onSuccess: ({ key }) => setText(key) })
  return (
    <CreateOnce
      of="key"
      title={t('Create this API key?')}
      confirm={t('Create key')}
      entries={keyFacts(apiKey)}
      onCreate={() => void run({ params: { id: apiKey._id } })}
      pending={pending}
      refusal={error?.message}
      text={text}
      shownTitle={t('Save this API key')}
      shownDescription={t(
        'Keep it in a secret store, never in code. We store only a hash and cannot show it again.',
      )}
      onClose={onClose}
    />
  )
}
