/** 'One withdrawal and two investments wait for it.', or null. */
export function waitingWords({
  withdrawals,
  investments,
}: {
  withdrawals: number
  investments: number
}): string | null {
  const parts = [counted(withdrawals, 'withdrawal'), counted(investments, 'investment')].filter(
    part => part !== null,
  )
  if (parts.length === 0) return null
  return `${parts.join(' and ')} ${withdrawals + investments === 1 ? 'waits' : 'wait'} for this.`
}

function counted(count: number, thing: string): string | null {
  if (count === 0) return null
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`
}
