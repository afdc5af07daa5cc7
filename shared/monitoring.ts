import { dormantDays, monitoredDays, structuredMovements } from './limits.ts'
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
  turnover: 'Much money in a short time',
  structuring: 'Just below the reporting limit',
  passing: 'Paid in and out again',
  dormant: 'After a long pause',
}

/** What a rule looks for, with the setting in force, in cents. */
export function ruleWords(rule: MonitoringRule, limitCents: bigint): string {
  const limit = formatUsdShort(limitCents)
  switch (rule) {
    case 'turnover':
      return `Deposits, or withdrawals, of ${limit} or more in ${monitoredDays} days.`
    case 'structuring':
      return `${structuredMovements} or more deposits, or withdrawals, in ${monitoredDays} days, each of 80% to 100% of ${limit} but below it.`
    case 'passing':
      return `Withdrawals of 80% or more of the deposits of ${monitoredDays} days, if these are ${limit} or more.`
    case 'dormant':
      return `A deposit, or withdrawal, of ${limit} or more after ${dormantDays} days without either.`
  }
}
