import { useState } from 'react'
import { getSettings } from '#shared/contract/settings.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { ProposalsSection, useBlocked } from '#web/admin/proposals/list.tsx'
import { ProposeButton } from '#web/admin/proposals/propose-button.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { ProposeSettings } from './propose.tsx'
import { settingLabels, settingNames, settingWords } from './words.tsx'

export const meta = pageMeta(msg('Settings'))

/** Settings, which two admins change (D7). */
export default function SettingsPage() {
  const { data, isError, refetch } = useRead(getSettings, {})
  const [open, setOpen] = useState(false)
  const blocked = useBlocked('settings')
  return (
    <>
      <PageHead
        title={t('Settings')}
        lead={t(
          'Changes need two admins and apply to new requests only. The limits without proof also apply to pending ones.',
        )}
        aside={
          <ProposeButton blocked={blocked} onClick={() => setOpen(true)}>
            {t('Propose a change')}
          </ProposeButton>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Section title={t('Current settings')}>
          {!data && !isError && <Loading label={t('Loading the settings')} lines={3} />}
          {!data && isError && (
            <FailedState onRetry={() => void refetch()}>{t('The settings could not be loaded.')}</FailedState>
          )}
          {data && (
            <DescriptionList
              entries={[
                ...settingNames.map(
                  (name): Entry => [translate(settingLabels[name]), settingWords[name](data.values)],
                ),
                [
                  t('In force since'),
                  data.changedAt === null ? (
                    t('Initial configuration')
                  ) : (
                    <When key="at" at={data.changedAt} />
                  ),
                ],
              ]}
            />
          )}
        </Section>
        <ProposalsSection kind="settings" />
      </div>
      {open && data && <ProposeSettings values={data.values} onClose={() => setOpen(false)} />}
    </>
  )
}
