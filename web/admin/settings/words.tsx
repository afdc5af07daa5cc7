import type { ReactNode } from 'react'
import type { SettingValues } from '#shared/contract/proposals.ts'
import { monitoredDays } from '#shared/limits.ts'
import { Usd } from '#web/components/amounts.tsx'

type Name = keyof SettingValues

/** The settings in the console's order. */
export const settingLabels: Readonly<Record<Name, string>> = {
  largeWithdrawal: 'Withdrawals need two approvals above',
  minimumWithdrawal: 'Minimum withdrawal',
  addressWaitHours: 'Waiting time of new withdrawal addresses',
  paymentWindowMinutes: 'Payment window',
  largeReturn: 'Returns need a second person above',
  turnoverLimit: `Review volume of ${monitoredDays} days from`,
  reportingLimit: 'Review amounts just below',
  dormantLimit: 'Review dormant accounts from',
  identityLimit: 'Without proof of identity, up to',
  fundsLimit: 'Without proof of the source of funds, up to',
  documentYears: 'Documents of former customers are kept for',
  earningsSecondApproval: 'Earnings',
  depositsOpen: 'New deposits',
  registrationOpen: 'Registration of new investors',
}

export const settingNames = Object.keys(settingLabels) as Name[]

export const settingWords: Readonly<Record<Name, (values: SettingValues) => ReactNode>> = {
  largeWithdrawal: values => <Usd value={values.largeWithdrawal} />,
  minimumWithdrawal: ({ minimumWithdrawal: value }) => (value === 0 ? 'None' : <Usd value={value} />),
  addressWaitHours: ({ addressWaitHours: hours }) =>
    hours === 0 ? 'None' : hours === 1 ? '1 hour' : `${hours} hours`,
  paymentWindowMinutes: values => `${values.paymentWindowMinutes} minutes`,
  largeReturn: values => <Usd value={values.largeReturn} />,
  turnoverLimit: values => <Usd value={values.turnoverLimit} />,
  reportingLimit: values => <Usd value={values.reportingLimit} />,
  dormantLimit: values => <Usd value={values.dormantLimit} />,
  identityLimit: ({ identityLimit: value }) => (value === null ? 'Not asked for' : <Usd value={value} />),
  fundsLimit: ({ fundsLimit: value }) => (value === null ? 'Not asked for' : <Usd value={value} />),
  documentYears: ({ documentYears: years }) => (years === 1 ? '1 year' : `${years} years`),
  earningsSecondApproval: values =>
    values.earningsSecondApproval ? 'Second approval required' : 'Paid at once',
  depositsOpen: values => (values.depositsOpen ? 'Open' : 'Closed'),
  registrationOpen: values => (values.registrationOpen ? 'Open' : 'Closed'),
}
