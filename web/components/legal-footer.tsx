import { riskLine } from '#shared/plans.ts'
import { useSite } from '#web/frame.ts'
import { cx } from '#web/ui/cx.ts'

/** Who is behind the pages, and the risk (P-12, P-14, D2): at the end of every page. */
export function LegalFooter({ measure = 'page' }: { measure?: string }) {
  const { firm, mode } = useSite()
  const identity = [
    firm.legalName,
    firm.registrationNumber && `registration ${firm.registrationNumber}`,
    firm.regulator && `regulated by ${firm.regulator}`,
    firm.licence && `licence ${firm.licence}`,
    firm.streetAddress,
  ].filter(Boolean)
  return (
    <div data-figure="firm" className="border-rule border-t text-ink-faint text-sm">
      <div className={cx(measure, 'grid gap-3 py-6')}>
        <p>
          {firm.riskStatement.includes(riskLine) ? firm.riskStatement : `${riskLine} ${firm.riskStatement}`}
        </p>
        {firm.unregulatedStatement && <p>{firm.unregulatedStatement}</p>}
        <p>
          {identity.join(' · ')}
          {mode === 'live' && ` · Serves ${firm.jurisdictions}`}
        </p>
        <p>
          © {firm.onlineSince} {firm.legalName}. All rights reserved.
        </p>
      </div>
    </div>
  )
}
