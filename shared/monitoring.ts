import { localUsdShort } from './i18n/amounts.ts'
import { msg, t } from './i18n/t.ts'
import { dormantDays, monitoredDays, nearPercent, structuredMovements } from './limits.ts'

/** What makes staff look into an account's movements (decision 179). */
export const monitoringRules = ['turnover', 'structuring', 'passing', 'dormant'] as const
export type MonitoringRule = (typeof monitoringRules)[number]

/** What staff can decide: nothing unusual, or reported to the authority. */
export const caseDecisions = ['explained', 'reported'] as const
export type CaseDecision = (typeof caseDecisions)[number]
export const caseStatuses = ['open', ...caseDecisions] as const
export type CaseStatus = (typeof caseStatuses)[number]

export const ruleLabels: Readonly<Record<MonitoringRule, string>> = {
  turnover: msg('High volume in a short time'),
  structuring: msg('Just below the reporting limit'),
  passing: msg('Money passing through'),
  dormant: msg('Dormant account'),
}

/** What a rule looks for, with the setting in force, in cents. */
export function ruleWords(rule: MonitoringRule, limitCents: bigint): string {
  const limit = localUsdShort(limitCents)
  switch (rule) {
    case 'turnover':
      return t('Deposits, or withdrawals, of {limit} or more in {days} days.', { limit, days: monitoredDays })
    case 'structuring':
      return t(
        '{count} or more deposits, or withdrawals, in {days} days, each from {least} to just under {limit}.',
        {
          count: structuredMovements,
          days: monitoredDays,
          least: localUsdShort((limitCents * BigInt(nearPercent)) / 100n),
          limit,
        },
      )
    case 'passing':
      return t(
        'Withdrawals, in the {days} days after deposits of {limit} or more, of at least {percent}% of these.',
        { days: monitoredDays, limit, percent: nearPercent },
      )
    case 'dormant':
      return t(
        'Deposits, or withdrawals, of {limit} or more in the first {days} days after {dormantDays} without either.',
        { limit, days: monitoredDays, dormantDays },
      )
  }
}
