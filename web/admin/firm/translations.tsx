import { useId } from 'react'
import type { FirmProfile } from '#shared/contract/site.ts'
import { isEmpty, originalOf } from '#shared/firm-in-language.ts'
import { type FirmText, legalSentences } from '#shared/firm-texts.ts'
import {
  type Language,
  languageCodes,
  languages,
  sourceLanguage,
  type TranslatedLanguage,
  translatedLanguages,
} from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { languageName } from '#web/admin/language-name.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { capital } from '#web/ui/capital.ts'
import { Select } from '#web/ui/input.tsx'
import { Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { labelOf, shownTexts } from './texts-form.ts'
import {
  type Draft,
  originalDraft,
  progressOf,
  type TranslationGroup,
  translationDraft,
  translationGroups,
} from './translation-form.ts'

type ChoiceProps = { firm: FirmProfile; language: Language; onChoose: (language: Language) => void }

/** Chooses the language in which the texts below are shown and edited, and says how far each translation is. */
export function TextLanguage({ firm, language, onChoose }: ChoiceProps) {
  const id = useId()
  return (
    <Section title={t('Languages')}>
      <div className="grid max-w-2xl gap-4">
        <p className="text-ink-soft">
          {t(
            'Visitors read the texts below in the language of the page. What is not translated is shown in English.',
          )}
        </p>
        <div className="grid gap-1.5 sm:w-72">
          <label htmlFor={id} className="font-medium text-sm">
            {t('Language of the texts below')}
          </label>
          <Select id={id} value={language} onChange={event => onChoose(event.target.value as Language)}>
            {languageCodes.map(code => (
              <option key={code} value={code}>
                {code === sourceLanguage
                  ? t('{language} (original)', { language: capital(languageName(code)) })
                  : capital(languageName(code))}
              </option>
            ))}
          </Select>
        </div>
        <ul className="grid gap-2 text-sm">
          {translatedLanguages.map(code => (
            <li key={code}>
              <Progress firm={firm} language={code} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}

function Progress({ firm, language }: { firm: FirmProfile; language: TranslatedLanguage }) {
  const { all, done, outdated } = progressOf(firm, language)
  return (
    <>
      {t('{language}: {done, number} of {all, number} texts are translated.', {
        language: capital(languageName(language)),
        done: done.length,
        all: all.length,
      })}
      {outdated.length > 0 && (
        <span className="block text-wait">
          {t(
            '{count, plural, one {The original of # text has changed since it was translated.} other {The originals of # texts have changed since they were translated.}}',
            { count: outdated.length },
          )}
        </span>
      )}
    </>
  )
}

type TextsProps = {
  firm: FirmProfile
  language: TranslatedLanguage
  onEdit: (group: TranslationGroup) => void
}

/** The translations page by page, each text beside its original. */
export function TranslatedTexts({ firm, language, onEdit }: TextsProps) {
  const { done, outdated } = progressOf(firm, language)
  const original = originalDraft(firm)
  const translation = translationDraft(firm, language)
  return translationGroups.map(group => {
    const page = translate(group.title)
    const present = group.fields.filter(name => !isEmpty(originalOf(firm, name)))
    return (
      <Section
        key={group.title}
        title={t('Texts: {page}', { page })}
        aside={
          present.length > 0 && (
            <Button tone="quiet" size="sm" onClick={() => onEdit(group)}>
              {tr('Translate<hidden> into {language}: {page}</hidden>', {
                language: languageName(language),
                page,
                hidden: words => <span className="sr-only">{words}</span>,
              })}
            </Button>
          )
        }
      >
        {present.length === 0 ? (
          <EmptyState>{t('No texts yet. The site shows nothing here.')}</EmptyState>
        ) : (
          <ul className="grid gap-6">
            {present.map(name => (
              <Text
                key={name}
                name={name}
                language={language}
                original={wordsOf(original, name)}
                translation={done.includes(name) ? wordsOf(translation, name) : undefined}
                isOutdated={outdated.includes(name)}
              />
            ))}
          </ul>
        )}
      </Section>
    )
  })
}

function wordsOf(draft: Draft, name: FirmText): string {
  return shownTexts(draft, [name])
    .map(([, value]) => value)
    .filter(value => value !== '')
    .join('\n\n')
}

type TextProps = {
  name: FirmText
  language: TranslatedLanguage
  original: string
  /** Undefined if visitors read the original. */
  translation: string | undefined
  isOutdated: boolean
}

function Text({ name, language, original, translation, isOutdated }: TextProps) {
  const text = 'max-w-2xl whitespace-pre-line wrap-anywhere'
  return (
    <li className="grid gap-2">
      <h3 className="text-ink-soft text-sm">{labelOf(name)}</h3>
      <div className="grid gap-x-8 gap-y-2 lg:grid-cols-2">
        <p lang={sourceLanguage} dir="ltr" className={`${text} text-ink-soft`}>
          {original}
        </p>
        {translation !== undefined ? (
          <p lang={language} dir={languages[language].direction} className={text}>
            {translation}
          </p>
        ) : (
          <p className="text-ink-faint">{t('Not translated. Visitors read the original.')}</p>
        )}
      </div>
      {isOutdated && <Outdated name={name} />}
    </li>
  )
}

export function Outdated({ name }: { name: FirmText }) {
  return (
    <p className="text-sm text-wait">
      {name in legalSentences
        ? t('The original has changed since this was translated, so visitors read the original.')
        : t('The original has changed since this was translated.')}
    </p>
  )
}
