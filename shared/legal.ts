import type { FirmInLanguage } from '#shared/contract/site.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { riskLine } from '#shared/plans.ts'
import type { LegalSentence } from './firm-texts.ts'

/** What the product says in the current language, and what the firm adds, in English until it is translated. */
type LegalParagraph = { words?: string; firmWords?: string; of?: LegalSentence }
type Firm = Omit<FirmInLanguage, 'texts'>

/** Legal details and risk, one paragraph each, for the end of every page (P-12, P-14, D2). */
export function legalParagraphs(firm: Firm, mode: 'demo' | 'live'): readonly LegalParagraph[] {
  const { legalName, registrationNumber, regulator, licence, unregulatedStatement, jurisdictions } = firm
  const identity = [
    legalName,
    registrationNumber && t('registration {number}', { number: registrationNumber }),
    regulator && t('regulated by {regulator}', { regulator }),
    licence && t('licence {number}', { number: licence }),
    firm.streetAddress,
    mode === 'live' && t('Serves {jurisdictions}', { jurisdictions }),
  ]
  return [
    risk(firm.riskStatement),
    ...(unregulatedStatement
      ? [{ firmWords: unregulatedStatement, of: 'unregulatedStatement' } as const]
      : []),
    { words: identity.filter(Boolean).join(' · ') },
    {
      words: t('© {year} {name}. All rights reserved.', { year: String(firm.onlineSince), name: legalName }),
    },
  ]
}

/** The risk line in the page's language, even if the firm's statement lacks it or has it in English. */
function risk(statement: string): LegalParagraph {
  const line = translate(riskLine)
  if (statement.includes(line)) return { firmWords: statement, of: 'riskStatement' }
  return { words: line, firmWords: statement.replace(riskLine, '').trim(), of: 'riskStatement' }
}

/** The same as plain text. */
export function legalWords(firm: Firm, mode: 'demo' | 'live'): string[] {
  return legalParagraphs(firm, mode).map(({ words, firmWords }) =>
    [words, firmWords].filter(Boolean).join(' '),
  )
}
