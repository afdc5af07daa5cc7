import { useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { listFirmVersions } from '#shared/contract/firm.ts'
import { useList } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EditFirm } from './firm/edit-firm.tsx'
import { shownValues, valuesOf } from './firm/firm-form.ts'
import { versionsAtOnce } from './list-body.tsx'
import { VersionHistory } from './versions/history.tsx'

export const meta = pageMeta('Firm')

type Version = CallData<typeof listFirmVersions>[number]

/** The firm's profile (N-14, D2): what every public page and letter says of the firm. */
export default function FirmPage() {
  const { mode } = useSite()
  // As it was when its dialog opened: what somebody else saves meanwhile must not pass as seen.
  const [edited, setEdited] = useState<Version>()
  const list = useList(listFirmVersions, { limit: versionsAtOnce })
  const latest = list.rows?.[0]
  return (
    <>
      <PageHead
        title="Firm"
        lead="What the public pages, the letters and the statements say of the firm. A change makes a new version and shows at once."
        aside={
          <Button disabled={!latest} onClick={() => setEdited(latest)}>
            Edit the profile
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        {latest && <InForce latest={latest} />}
        <Section title="Versions">
          <VersionHistory
            list={list}
            valuesOf={({ profile }) => shownValues(valuesOf(profile))}
            origin={mode === 'live' ? 'from the configuration' : 'from the sample'}
          />
        </Section>
      </div>
      {edited && (
        <EditFirm firm={edited.profile} version={edited.version} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function InForce({ latest }: { latest: Version }) {
  return (
    <Section
      title="In force"
      aside={
        <span className="text-ink-faint text-sm">
          Version {latest.version}, since <When at={latest.changedAt} />
        </span>
      }
    >
      <DescriptionList
        entries={shownValues(valuesOf(latest.profile)).map(([name, value]) => [name, value || '—'])}
      />
    </Section>
  )
}
