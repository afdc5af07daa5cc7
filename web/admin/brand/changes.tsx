import type { ProposalContent } from '#shared/contract/proposals.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { LookPreview } from './preview.tsx'
import { LogoWords, Swatches } from './swatches.tsx'

/** What a proposal changes of the look, before and after. */
export function brandChanges({ before, after }: Extract<ProposalContent, { kind: 'brand' }>): Entry[] {
  return [
    ['Colours so far', <Swatches key="before" accent={before.accent} />],
    ['New colours', <Swatches key="after" accent={after.accent} />],
    ['Logo so far', <LogoWords key="logo-before" logo={before.logo} />],
    ['New logo', <LogoWords key="logo-after" logo={after.logo} />],
    [
      'Preview',
      <details key="preview" className="text-left">
        <summary className="cursor-pointer text-right">Show the new look</summary>
        <LookPreview look={after} />
      </details>,
    ],
  ]
}
