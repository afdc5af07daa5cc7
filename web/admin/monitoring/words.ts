import type { MonitoringCase } from '#shared/contract/monitoring.ts'
import { t } from '#shared/i18n/t.ts'

/** '3 deposits'. */
export function movedWords({ kind, movements }: Pick<MonitoringCase, 'kind' | 'movements'>): string {
  return kind === 'deposit'
    ? t('{count, plural, one {# deposit} other {# deposits}}', { count: movements })
    : t('{count, plural, one {# withdrawal} other {# withdrawals}}', { count: movements })
}
