import type { ReactNode } from 'react'
import type { SettingValues } from '#shared/contract/proposals.ts'
import { Usd } from '#web/components/amounts.tsx'

type Words = { name: keyof SettingValues; label: string; words: (values: SettingValues) => ReactNode }

/** The settings as the console words them, in its order. */
export const settingWords: readonly Words[] = [
  {
    name: 'largeWithdrawal',
    label: 'Withdrawals need two approvals above',
    words: ({ largeWithdrawal }) => <Usd value={largeWithdrawal} />,
  },
  {
    name: 'minimumWithdrawal',
    label: 'Minimum withdrawal',
    words: ({ minimumWithdrawal }) => (minimumWithdrawal === 0 ? 'None' : <Usd value={minimumWithdrawal} />),
  },
  {
    name: 'addressWaitHours',
    label: 'New withdrawal addresses wait',
    words: ({ addressWaitHours }) => waitWords(addressWaitHours),
  },
  {
    name: 'largeReturn',
    label: 'Returns need a second person above',
    words: ({ largeReturn }) => <Usd value={largeReturn} />,
  },
  {
    name: 'earningsSecondApproval',
    label: 'Earnings',
    words: ({ earningsSecondApproval }) =>
      earningsSecondApproval ? 'Second approval required' : 'Paid at once',
  },
  {
    name: 'depositsOpen',
    label: 'New deposits',
    words: ({ depositsOpen }) => (depositsOpen ? 'Open' : 'Closed'),
  },
  {
    name: 'registrationOpen',
    label: 'Registration of new investors',
    words: ({ registrationOpen }) => (registrationOpen ? 'Open' : 'Closed'),
  },
]

function waitWords(hours: number): string {
  if (hours === 0) return 'Not at all'
  return hours === 1 ? '1 hour' : `${hours} hours`
}
