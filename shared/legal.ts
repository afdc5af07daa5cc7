import type { FirmProfile } from '#shared/contract/site.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { riskLine } from '#shared/plans.ts'

/** What the product says in the current language, and what the firm adds in English. */
type LegalParagraph = { words?: string; firmWords?: string }

/** Legal details and risk, one paragraph each, for the end of every page (P-12, P-14, D2). */
export function legalParagraphs(
  firm: Omit<FirmProfile, 'texts'>,
  mode: 'demo' | 'live',
): readonly LegalParagraph[] {
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
    ...(unregulatedStatement ? [{ firmWords: unregulatedStatement }] : []),
    { words: identity.filter(Boolean).join(' · ') },
    {
      words: t('© {year} {name}. All rights reserved.', { year: String(firm.onlineSince), name: legalName }),
    },
  ]
}

/** The risk line in the page's language, even if the firm's statement has it in English. */
function risk(statement: string): LegalParagraph {
  if (!statement.includes(riskLine)) return { words: translate(riskLine), firmWords: statement }
  if (languageNow() === sourceLanguage) return { firmWords: statement }
  return { words: translate(riskLine), firmWords: statement.replace(riskLine, '').trim() }
}

/** The same as plain text. */
export function legalWords(firm: Omit<FirmProfile, 'texts'>, mode: 'demo' | 'live'): string[] {
  return legalParagraphs(firm, mode).map(({ words, firmWords }) =>
    [words, firmWords].filter(Boolean).join(' '),
  )
}
