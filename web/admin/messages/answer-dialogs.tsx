import { placeholders, unknownPlaceholders } from '#shared/canned-answers.ts'
import { type CannedAnswer, changeAnswer, deleteAnswer, newAnswer } from '#shared/contract/canned-answers.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { longestAnswerTitle, longestMessage } from '#shared/limits.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'

const fields = ['title', 'text'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values) {
  const unknown = unknownPlaceholders(values.text)
  return mergeErrors(
    missing(values, fields, t('Enter a title and a text')),
    unknown.length === 0
      ? undefined
      : fieldError(
          'text',
          t('{unknown} cannot be filled in. Use the placeholders above.', { unknown: unknown.join(', ') }),
        ),
  )
}

const trimmed = ({ title, text }: Values) => ({ title: title.trim(), text: text.trim() })

export function NewAnswer({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={newAnswer}
      title={t('New answer')}
      description={t('Everybody who answers messages can use it.')}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Save')}
      input={values => ({ body: trimmed(values) })}
      onClose={onClose}
      wide
    >
      <Fields />
    </ActionDialog>
  )
}

type OneProps = { answer: CannedAnswer; onClose: () => void }

function Edit({ answer, onClose }: OneProps) {
  const { _id, title, version } = answer
  return (
    <ActionDialog
      call={changeAnswer}
      title={tr('Edit {name}', { name: <bdi>{title}</bdi> })}
      description={t('Replies that were sent with it stay as they are.')}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Save')}
      input={values => ({ params: { id: _id }, body: { ...trimmed(values), version } })}
      onClose={onClose}
      wide
    >
      <Fields of={answer} />
    </ActionDialog>
  )
}

function Fields({ of }: { of?: CannedAnswer }) {
  return (
    <>
      <Field name="title" label={t('Title')} hint={t('To find it by. Only staff can read it.')}>
        <Input defaultValue={of?.title} maxLength={longestAnswerTitle} autoComplete="off" autoFocus />
      </Field>
      <Field name="text" label={t('Text')} hint={<Placeholders />}>
        <Textarea defaultValue={of?.text} rows={9} maxLength={longestMessage} />
      </Field>
    </>
  )
}

function Placeholders() {
  return tr('Filled in when you insert it: {placeholders}.', {
    placeholders: Object.entries(placeholders).map(([placeholder, meaning], place) => (
      <span key={placeholder}>
        {place > 0 && t('; ', {}, 'between entries of a list')}
        {tr('{placeholder}, {meaning}', {
          placeholder: <code dir="ltr">{placeholder}</code>,
          meaning: translate(meaning),
        })}
      </span>
    )),
  })
}

function Delete({ answer: { _id, title, version }, onClose }: OneProps) {
  return (
    <ActionDialog
      call={deleteAnswer}
      title={t('Delete this answer?')}
      description={t('Nobody can insert it any more. Replies that were sent with it stay as they are.')}
      entries={[[t('Title'), title]]}
      confirm={t('Delete')}
      tone="danger"
      input={() => ({ params: { id: _id }, body: { version } })}
      onClose={onClose}
    />
  )
}

export function answerActions(answer: CannedAnswer): Action[] {
  const of = t("''{title}''", { title: answer.title })
  return [
    {
      label: t('Edit'),
      call: changeAnswer,
      of,
      dialog: close => <Edit answer={answer} onClose={close} />,
    },
    {
      label: t('Delete'),
      call: deleteAnswer,
      of,
      tone: 'danger',
      dialog: close => <Delete answer={answer} onClose={close} />,
    },
  ]
}
