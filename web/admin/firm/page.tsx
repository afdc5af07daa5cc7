import { useMemo, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { listFirmVersions } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { wholeVersions } from '#shared/firm-in-language.ts'
import { type Language, sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { versionsAtOnce } from '#web/admin/tables/list-body.tsx'
import { VersionHistory } from '#web/admin/versions/history.tsx'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { EditFirm } from './edit-firm.tsx'
import { EditTexts } from './edit-texts.tsx'
import { EditTranslation } from './edit-translation.tsx'
import { shownValues, valuesOf } from './firm-form.ts'
import { draftOf, shownTexts, type TextGroup, textGroups } from './texts-form.ts'
import { shownTranslations, type TranslationGroup } from './translation-form.ts'
import { TextLanguage, TranslatedTexts } from './translations.tsx'

export const meta = pageMeta(msg('Firm'))

type Version = CallData<typeof listFirmVersions>[number] & { profile: FirmProfile }

/** The firm's profile and texts (N-14, D2). */
export default function FirmPage() {
  const { mode } = useSite()
  // As it was when the dialog opened: other people's changes must not count as seen.
  const [edited, setEdited] = useState<Version>()
  const [texts, editTexts] = useState<{ of: Version; group: TextGroup }>()
  const [translation, editTranslation] = useState<{ of: Version; group: TranslationGroup }>()
  const [language, setLanguage] = useState<Language>(sourceLanguage)
  const list = useList(listFirmVersions, { limit: versionsAtOnce })
  const rows = useMemo(() => list.rows && wholeVersions(list.rows), [list.rows])
  const latest = rows?.[0]
  return (
    <>
      <PageHead
        title={t('Firm')}
        lead={t(
          'What public pages, emails and statements say about the firm. Each change creates a new version and shows at once.',
        )}
        aside={
          <Button disabled={!latest} onClick={() => setEdited(latest)}>
            {t('Edit profile')}
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        {latest && <InForce latest={latest} />}
        {latest && <TextLanguage firm={latest.profile} language={language} onChoose={setLanguage} />}
        {latest && language === sourceLanguage && (
          <Texts latest={latest} onEdit={group => editTexts({ of: latest, group })} />
        )}
        {latest && language !== sourceLanguage && (
          <TranslatedTexts
            firm={latest.profile}
            language={language}
            onEdit={group => editTranslation({ of: latest, group })}
          />
        )}
        <Section title={t('Versions')}>
          <VersionHistory
            list={{ ...list, rows }}
            valuesOf={({ profile }) => [
              ...shownValues(valuesOf(profile)),
              ...shownTexts(draftOf(profile.texts)),
              ...shownTranslations(profile),
            ]}
            origin={mode === 'live' ? t('from the configuration') : t('from the sample')}
          />
        </Section>
      </div>
      {texts && (
        <EditTexts
          firm={texts.of.profile}
          version={texts.of.version}
          group={texts.group}
          onClose={() => editTexts(undefined)}
        />
      )}
      {translation && language !== sourceLanguage && (
        <EditTranslation
          firm={translation.of.profile}
          version={translation.of.version}
          language={language}
          group={translation.group}
          onClose={() => editTranslation(undefined)}
        />
      )}
      {edited && (
        <EditFirm firm={edited.profile} version={edited.version} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function InForce({ latest }: { latest: Version }) {
  return (
    <Section
      title={t('Current profile')}
      aside={
        <span className="text-ink-faint text-sm">
          {tr('Version {version}, since {when}', {
            version: latest.version,
            when: <When at={latest.changedAt} />,
          })}
        </span>
      }
    >
      <DescriptionList
        entries={shownValues(valuesOf(latest.profile)).map(([name, value]) => [name, value || '—'])}
      />
    </Section>
  )
}

type TextsProps = { latest: Version; onEdit: (group: TextGroup) => void }

/** The firm's texts, page by page. */
function Texts({ latest, onEdit }: TextsProps) {
  const draft = draftOf(latest.profile.texts)
  return textGroups.map(group => {
    const shown = shownTexts(draft, group.fields).filter(([, value]) => value !== '')
    return (
      <Section
        key={group.title}
        title={t('Texts: {page}', { page: translate(group.title) })}
        aside={
          <Button tone="quiet" size="sm" onClick={() => onEdit(group)}>
            {tr('Edit<hidden> texts: {page}</hidden>', {
              page: translate(group.title),
              hidden: words => <span className="sr-only">{words}</span>,
            })}
          </Button>
        }
      >
        {shown.length === 0 ? (
          <EmptyState>{t('No texts yet. The site shows nothing here.')}</EmptyState>
        ) : (
          <dl className="grid gap-4">
            {shown.map(([name, value]) => (
              <div key={name} className="grid gap-1 sm:grid-cols-[14rem_1fr] sm:gap-6">
                <dt className="text-ink-soft text-sm">{name}</dt>
                <dd dir="auto" className="max-w-2xl whitespace-pre-line">
                  {value}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Section>
    )
  })
}
