import type { MonitoringCase } from '#shared/contract/monitoring.ts'

/** '3 deposits', '2 deposits and withdrawals'. */
export function movedWords({ kind, movements }: Pick<MonitoringCase, 'kind' | 'movements'>): string {
  const what = kind === null ? 'deposits and withdrawals' : movements === 1 ? kind : `${kind}s`
  return `${movements.toLocaleString('en')} ${what}`
}
