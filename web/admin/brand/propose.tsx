import { useState } from 'react'
import { type BrandValues, proposeBrand } from '#shared/contract/brand.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { mergeErrors } from '#web/ui/form.tsx'
import { accentOf, ColourFields, colourErrors, typedColours } from './colour-fields.tsx'
import { chosenLogo, LogoFields, logoError, logoOf } from './logo-fields.tsx'
import { LookPreview } from './preview.tsx'

const fields = ['accent.light', 'accent.dark', 'logo', 'reason'] as const

/** Proposes another look, which is checked and shown while it is chosen. */
export function ProposeBrand({ look, onClose }: { look: BrandValues; onClose: () => void }) {
  const [typed, setTyped] = useState(typedColours(look.accent))
  const [logo, setLogo] = useState(chosenLogo(look.logo))
  const after: BrandValues = { accent: accentOf(typed), logo: logoOf(logo) }
  return (
    <ActionDialog
      call={proposeBrand}
      title="Propose a look"
      description="Nothing changes until another admin approves it."
      entries={[]}
      fields={fields}
      check={values => mergeErrors(colourErrors(typed), logoError(logo), reasonError(values))}
      confirm="Propose"
      input={({ reason }) => ({ body: { ...after, reason: reason.trim() } })}
      onClose={onClose}
      // The new proposal shows there.
      focusTo={() => document.getElementById(proposalsAnchor)}
      wide
    >
      <ColourFields typed={typed} onType={setTyped} />
      <LogoFields chosen={logo} onChoose={setLogo} />
      <section aria-label="Preview">
        <h3 className="font-medium text-sm">Preview</h3>
        <LookPreview look={after} />
      </section>
      <ReasonField />
    </ActionDialog>
  )
}
