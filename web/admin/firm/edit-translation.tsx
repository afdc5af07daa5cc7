import { useState } from 'react'
import { translateFirm } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { isEmpty, originalOf } from '#shared/firm-in-language.ts'
import { entryLimits, type FirmList, type FirmText, firmLines, firmTextRules } from '#shared/firm-texts.ts'
import { languages, sourceLanguage, type TranslatedLanguage } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { languageName } from '#web/admin/language-name.ts'
import { changesBetween } from '#web/admin/versions/changes.ts'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { Field } from '#web/ui/field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { Checkbox, Input, Textarea } from '#web/ui/input.tsx'
import { type Entry, entryLabels, entryName, isList, labelOf, shownTexts } from './texts-form.ts'
import {
  originalDraft,
  type TranslationGroup,
  translatedTexts,
  translationDraft,
} from './translation-form.ts'
import { Outdated } from './translations.tsx'

type EditTranslationProps = {
  firm: FirmProfile
  version: number
  language: TranslatedLanguage
  group: TranslationGroup
  onClose: () => void
}

/** Translates the texts of one page, each beside its original. */
export function EditTranslation({ firm, version, language, group, onClose }: EditTranslationProps) {
  const names = group.fields.filter(name => !isEmpty(originalOf(firm, name)))
  const original = originalDraft(firm)
  const outdated = firm.translations[language]?.outdated ?? []
  const [before] = useState(() => translationDraft(firm, language))
  const [draft, setDraft] = useState(before)
  const [checked, setChecked] = useState<readonly FirmText[]>([])
  const isChanged = (name: FirmText) =>
    changesBetween(shownTexts(before, [name]), shownTexts(draft, [name])).length > 0
  const given = names.filter(name => isChanged(name) || checked.includes(name))
  const set = (name: FirmText, value: string | Entry[]) => setDraft(now => ({ ...now, [name]: value }))
  const page = translate(group.title)
  return (
    <ActionDialog
      call={translateFirm}
      title={t('Translate into {language}: {page}', { language: languageName(language), page })}
      description={t(
        'Creates version {version}. Visitors read the original of texts that are left empty. Plain text; an empty line starts a new paragraph.',
        { version: version + 1 },
      )}
      entries={[]}
      fields={[...names.flatMap(name => fieldsOf(draft[name], name)), 'reason']}
      check={({ reason = '' }) =>
        mergeErrors(given.length === 0 ? unchanged : undefined, reasonError({ reason }))
      }
      confirm={t('Create version {version}', { version: version + 1 })}
      success={t('Translation saved')}
      input={({ reason = '' }) => ({
        body: { language, texts: translatedTexts(draft, given), version, reason: reason.trim() },
      })}
      onClose={onClose}
      wide
    >
      <div className="grid gap-8">
        {names.map(name => (
          <div key={name} className="grid gap-3">
            {isList(name) ? (
              <Entries
                list={name}
                original={original[name]}
                entries={draft[name]}
                language={language}
                onChange={entries => set(name, entries)}
              />
            ) : (
              <Pair
                name={`texts.${name}`}
                label={labelOf(name)}
                original={original[name]}
                value={draft[name]}
                max={firmTextRules[name].max}
                rows={rowsOf(name)}
                language={language}
                onChange={value => set(name, value)}
              />
            )}
            {outdated.includes(name) && (
              <div>
                <Outdated name={name} />
                <Checkbox
                  checked={checked.includes(name) || isChanged(name)}
                  disabled={isChanged(name)}
                  onChange={({ target }) =>
                    setChecked(now => (target.checked ? [...now, name] : now.filter(other => other !== name)))
                  }
                >
                  {t('I have compared the translation with the original: {text}', { text: labelOf(name) })}
                </Checkbox>
              </div>
            )}
          </div>
        ))}
      </div>
      <WhatChanges changes={changesBetween(shownTexts(before, names), shownTexts(draft, names))} />
      <ReasonField />
    </ActionDialog>
  )
}

/** Field names as in the server's errors. */
function fieldsOf(typed: string | Entry[], name: FirmText): string[] {
  if (typeof typed === 'string') return [`texts.${name}`]
  return typed.flatMap((entry, place) => Object.keys(entry).map(part => `texts.${name}.${place}.${part}`))
}

/** Undefined for a text of one line. */
function rowsOf(name: FirmText): number | undefined {
  if (name in firmLines || name === 'jurisdictions') return undefined
  return firmTextRules[name].max > 1000 ? 8 : 3
}

type EntriesProps = {
  list: FirmList
  original: readonly Entry[]
  /** With the parts that the original has. */
  entries: readonly Entry[]
  language: TranslatedLanguage
  onChange: (entries: Entry[]) => void
}

function Entries({ list, original, entries, language, onChange }: EntriesProps) {
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-medium">{labelOf(list)}</legend>
      <ol className="grid gap-4">
        {entries.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: every field is controlled, and its place is its name.
          <li key={place} className="grid gap-4 rounded-md border border-rule p-4">
            <span className="text-ink-soft text-sm first-letter:uppercase">{entryName(list, place + 1)}</span>
            {Object.keys(entry).map(part => (
              <Pair
                key={part}
                name={`texts.${list}.${place}.${part}`}
                label={translate(entryLabels[part]!)}
                original={original[place]?.[part] ?? ''}
                value={entry[part] ?? ''}
                language={language}
                onChange={value => onChange(entries.with(place, { ...entry, [part]: value }))}
                {...partRules(list, part)}
              />
            ))}
          </li>
        ))}
      </ol>
    </fieldset>
  )
}

function partRules(list: FirmList, part: string): Pick<PairProps, 'max' | 'rows' | 'hint'> {
  switch (part) {
    case 'title':
      return { max: entryLimits.title }
    case 'text':
      return list === 'sectors'
        ? { max: entryLimits.sectorText, rows: 5 }
        : { max: entryLimits.text, rows: 4 }
    case 'seek':
    case 'avoid':
      return { rows: 4, hint: t('One per line, at most {count, number}.', { count: entryLimits.points }) }
    default:
      return { max: entryLimits.brief, rows: 3 }
  }
}

type PairProps = {
  name: string
  label: string
  original: string
  value: string
  language: TranslatedLanguage
  max?: number
  /** For multi-line texts. */
  rows?: number | undefined
  hint?: string
  onChange: (value: string) => void
}

/** The original beside the field of its translation. */
function Pair({ name, label, original, value, language, max, rows, hint, onChange }: PairProps) {
  const control = {
    value,
    maxLength: max,
    lang: language,
    dir: languages[language].direction,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  return (
    <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      <div className="grid content-start gap-1.5">
        <p className="text-ink-faint text-sm">{t('Original: {text}', { text: label })}</p>
        <p lang={sourceLanguage} dir="ltr" className="whitespace-pre-line wrap-anywhere">
          {original}
        </p>
      </div>
      <Field name={name} label={label} hint={hint} optional>
        {rows === undefined ? (
          <Input autoComplete="off" {...control} />
        ) : (
          <Textarea rows={rows} {...control} />
        )}
      </Field>
    </div>
  )
}
