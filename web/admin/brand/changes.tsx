import { useState } from 'react'
import type { BrandValues } from '#shared/contract/brand.ts'
import type { ProposalContent } from '#shared/contract/proposals.ts'
import { t } from '#shared/i18n/t.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { LookPreview } from './preview.tsx'
import { LogoWords, Swatches } from './swatches.tsx'

/** What a proposal changes of the look, before and after. */
export function brandChanges({ before, after }: Extract<ProposalContent, { kind: 'brand' }>): Entry[] {
  const differs = (part: keyof BrandValues) => JSON.stringify(before[part]) !== JSON.stringify(after[part])
  const colours: Entry[] = [
    [t('Previous colours'), <Swatches key="before" accent={before.accent} />],
    [t('New colours'), <Swatches key="after" accent={after.accent} />],
  ]
  const logos: Entry[] = [
    [t('Previous logo'), <LogoWords key="logo-before" logo={before.logo} />],
    [t('New logo'), <LogoWords key="logo-after" logo={after.logo} />],
  ]
  return [
    ...(differs('accent') ? colours : []),
    ...(differs('logo') ? logos : []),
    [t('Preview'), <NewLook key="preview" look={after} />],
  ]
}

/** Read when it is opened: a list has many. */
function NewLook({ look }: { look: BrandValues }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-start" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-end">{t('Show the new look')}</summary>
      {isOpen && <LookPreview look={look} />}
    </details>
  )
}
