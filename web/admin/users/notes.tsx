import { useState } from 'react'
import { addUserNote, listUserNotes } from '#shared/contract/console.ts'
import { t } from '#shared/i18n/t.ts'
import { longestNote } from '#shared/limits.ts'
import { mayCall } from '#web/admin/rights.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { useList } from '#web/api/list.ts'
import { useMutation } from '#web/api/mutation.ts'
import { When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, missing, SubmitButton, type ValidationError } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { Section } from '#web/ui/section.tsx'

const fields = ['note'] as const

function check(values: { note: string }): ValidationError | undefined {
  return missing(values, fields, t('Enter a note'), t('Enter a note'))
}

/** Internal notes about an account. */
export function Notes({ id, className }: { id: string; className?: string }) {
  const list = useList(listUserNotes, { user: id, limit: pageSize })
  return (
    <Section title={t('Notes')} className={className}>
      {mayCall(addUserNote) && <AddNote id={id} />}
      <ListBody of={t('notes')} list={list} filter={wholeList} empty={t('No notes yet')}>
        {rows => (
          <ul>
            {rows.map(({ _id, note, author, createdAt }) => (
              <li key={_id} className="grid gap-1 border-rule border-t py-4">
                <WrittenText>{note}</WrittenText>
                <p className="text-ink-faint text-sm">
                  <bdi>{author}</bdi>, <When at={createdAt} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function AddNote({ id }: { id: string }) {
  const [added, setAdded] = useState(0)
  const { run, pending, error } = useMutation(addUserNote, { onSuccess: () => setAdded(added + 1) })
  return (
    <Form
      key={added}
      fields={fields}
      check={check}
      onSubmit={({ note }) => run({ params: { id }, body: { note: note.trim() } })}
      pending={pending}
      error={error}
      className="mb-6 max-w-3xl"
    >
      <Field
        name="note"
        label={t('New note')}
        hint={t('Only staff can read it. It cannot be changed or removed.')}
      >
        <Textarea rows={3} maxLength={longestNote} />
      </Field>
      <div>
        <SubmitButton tone="quiet">{t('Add note')}</SubmitButton>
      </div>
    </Form>
  )
}
