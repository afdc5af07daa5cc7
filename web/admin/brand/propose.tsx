import { useState } from 'react'
import { type BrandValues, proposeBrand } from '#shared/contract/brand.ts'
import { t } from '#shared/i18n/t.ts'
import { ProposeDialog } from '#web/admin/proposals/propose-dialog.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { accentOf, ColourFields, colourErrors, typedColours } from './colour-fields.tsx'
import { chosenLogo, LogoFields, logoError, logoOf } from './logo-fields.tsx'
import { LookPreview } from './preview.tsx'

const fields = ['accent.light', 'accent.dark', 'logo', 'darkLogo'] as const

/** Proposes another look, which is checked and shown while it is chosen. */
export function ProposeBrand({ look, onClose }: { look: BrandValues; onClose: () => void }) {
  const [typed, setTyped] = useState(typedColours(look.accent))
  const [logo, setLogo] = useState(chosenLogo(look.logo))
  const [uploads, setUploads] = useState(0)
  const after: BrandValues = { accent: accentOf(typed), logo: logoOf(logo) }
  return (
    <ProposeDialog
      call={proposeBrand}
      title={t('Propose a look')}
      description={t('Nothing changes until another admin approves it.')}
      fields={fields}
      check={() => mergeErrors(colourErrors(typed), logoError(logo))}
      // Otherwise the logo before would be proposed.
      ready={uploads === 0}
      input={(_, reason) => ({ body: { ...after, reason } })}
      onClose={onClose}
      wide
    >
      <ColourFields typed={typed} onType={setTyped} />
      <LogoFields
        chosen={logo}
        onChoose={change => setLogo(before => ({ ...before, ...change }))}
        onUploads={change => setUploads(before => before + change)}
      />
      <section aria-label={t('Preview')}>
        <h3 className="font-medium text-sm">{t('Preview')}</h3>
        <LookPreview look={after} />
      </section>
    </ProposeDialog>
  )
}
