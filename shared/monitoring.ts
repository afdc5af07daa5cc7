import { dormantDays, monitoredDays, nearPercent, structuredMovements } from './limits.ts'
import { formatUsdShort } from './money.ts'

/** What makes staff look into an account's movements (decision 179). */
export const monitoringRules = ['turnover', 'structuring', 'passing', 'dormant'] as const
export type MonitoringRule = (typeof monitoringRules)[number]

/** What staff can decide: nothing unusual, or reported to the authority. */
export const caseDecisions = ['explained', 'reported'] as const
export type CaseDecision = (typeof caseDecisions)[number]
export const caseStatuses = ['open', ...caseDecisions] as const
export type CaseStatus = (typeof caseStatuses)[number]

export const ruleLabels: Readonly<Record<MonitoringRule, string>> = {
  turnover: 'High volume in a short time',
  structuring: 'Just below the reporting limit',
  passing: 'Money passing through',
  dormant: 'Dormant account',
}

/** What a rule looks for, with the setting in force, in cents. */
export function ruleWords(rule: MonitoringRule, limitCents: bigint): string {
  const limit = formatUsdShort(limitCents)
  switch (rule) {
    case 'turnover':
      return `Deposits, or withdrawals, of ${limit} or more in ${monitoredDays} days.`
    case 'structuring':
      return `${structuredMovements} or more deposits, or withdrawals, in ${monitoredDays} days, each from ${formatUsdShort((limitCents * BigInt(nearPercent)) / 100n)} to just under ${limit}.`
    case 'passing':
      return `Withdrawals, in the ${monitoredDays} days after deposits of ${limit} or more, of at least ${nearPercent}% of these.`
    case 'dormant':
      return `Deposits, or withdrawals, of ${limit} or more in the first ${monitoredDays} days after ${dormantDays} without either.`
  }
}
