import type { MonitoringCase } from '#shared/contract/monitoring.ts'

/** '3 deposits'. */
export function movedWords({ kind, movements }: Pick<MonitoringCase, 'kind' | 'movements'>): string {
  return `${movements.toLocaleString('en')} ${movements === 1 ? kind : `${kind}s`}`
}
