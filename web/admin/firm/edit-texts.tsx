import { useState } from 'react'
import { updateFirm } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { type FirmBlock, type FirmLine, firmBlocks, firmLines } from '#shared/firm-texts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { changesBetween } from '#web/admin/versions/changes.ts'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { Field } from '#web/ui/field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { TextList } from './text-list.tsx'
import { draftOf, fieldNamesOf, isList, labelOf, shownTexts, type TextGroup, textsOf } from './texts-form.ts'

type EditTextsProps = { firm: FirmProfile; version: number; group: TextGroup; onClose: () => void }

/** Edits the firm's texts of one page; empty texts are not shown. */
export function EditTexts({ firm, version, group, onClose }: EditTextsProps) {
  const { translations: _, ...original } = firm
  const [before] = useState(() => draftOf(firm.texts))
  const [draft, setDraft] = useState(before)
  const changes = changesBetween(shownTexts(before), shownTexts(draft))
  const set = (change: Partial<typeof draft>) => setDraft(current => ({ ...current, ...change }))
  return (
    <ActionDialog
      call={updateFirm}
      title={t('Edit texts: {page}', { page: translate(group.title) })}
      description={t(
        'Creates version {version}. Empty texts are not shown. Plain text; an empty line starts a new paragraph.',
        { version: version + 1 },
      )}
      entries={[]}
      fields={[...fieldNamesOf(draft, group), 'reason']}
      check={({ reason = '' }) =>
        mergeErrors(changes.length === 0 ? unchanged : undefined, reasonError({ reason }))
      }
      confirm={t('Create version {version}', { version: version + 1 })}
      success={t('Texts updated')}
      input={({ reason = '' }) => ({
        body: { ...original, texts: textsOf(draft), version, reason: reason.trim() },
      })}
      onClose={onClose}
      wide
    >
      <div className="grid gap-6">
        {group.fields.map(field =>
          isList(field) ? (
            <TextList
              key={field}
              list={field}
              entries={draft[field]}
              onChange={entries => set({ [field]: entries })}
            />
          ) : (
            <TextField
              key={field}
              field={field}
              value={draft[field]}
              onChange={value => set({ [field]: value })}
            />
          ),
        )}
      </div>
      <WhatChanges changes={changes} />
      <ReasonField />
    </ActionDialog>
  )
}

type TextFieldProps = { field: FirmLine | FirmBlock; value: string; onChange: (value: string) => void }

function TextField({ field, value, onChange }: TextFieldProps) {
  const isLine = field in firmLines
  const { max } = { ...firmLines, ...firmBlocks }[field]
  return (
    <Field name={`texts.${field}`} label={labelOf(field)} optional>
      {isLine ? (
        <Input
          value={value}
          maxLength={max}
          autoComplete="off"
          onChange={event => onChange(event.target.value)}
        />
      ) : (
        <Textarea
          value={value}
          maxLength={max}
          rows={max > 1000 ? 8 : 3}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
