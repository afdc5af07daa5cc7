import type { Statistic } from '#shared/contract/site.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { parseUsd } from '#shared/money.ts'
import { FirmWords } from './firm-words.tsx'

/** The ledger's figures (server/firm/statistics-queries.ts); all others are the firm's. */
const measured: Record<string, string> = {
  'Invested in active plans': msg('Invested in active plans'),
  'Realised returns recorded': msg('Realised returns recorded'),
  'Earnings paid': msg('Earnings paid'),
  'Withdrawals paid': msg('Withdrawals paid'),
}

export function FigureLabel({ kind, label }: Pick<Statistic, 'kind' | 'label'>) {
  const words = kind === 'ledger' ? measured[label] : undefined
  return words === undefined ? <FirmWords>{label}</FirmWords> : translate(words)
}

/** An amount of the ledger as the language writes it; the firm's figures as it wrote them. */
export function figureValue({ kind, value }: Statistic): string {
  const cents = kind === 'ledger' ? parseUsd(value) : undefined
  return cents === undefined ? value : localUsd(cents)
}
