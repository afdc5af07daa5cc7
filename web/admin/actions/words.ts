import { capital } from '#web/ui/capital.ts'

/** Words for an action of the audit log: 'investment.approved' is 'Investment approved'. */
export function actionWords(action: string): string {
  return capital(action.replace(/[._]/g, ' '))
}
