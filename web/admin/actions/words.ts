/** An action of the audit log as a sentence's beginning: 'investment.approved' is 'Investment approved'. */
export function actionWords(action: string): string {
  const words = action.replace(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
