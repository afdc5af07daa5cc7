import type { ReactNode } from 'react'
import type { SettingValues } from '#shared/contract/proposals.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { monitoredDays } from '#shared/limits.ts'
import { Usd } from '#web/components/amounts.tsx'

type Name = keyof SettingValues

/** The settings in the console's order, for `translate`. */
export const settingLabels: Readonly<Record<Name, string>> = {
  largeWithdrawal: msg('Withdrawals need two approvals above'),
  minimumWithdrawal: msg('Minimum withdrawal'),
  addressWaitHours: msg('Waiting time of new withdrawal addresses'),
  paymentWindowMinutes: msg('Payment window'),
  largeReturn: msg('Returns need a second person above'),
  get turnoverLimit() {
    return t('Review volume of {days, plural, one {# day} other {# days}} from', { days: monitoredDays })
  },
  reportingLimit: msg('Review amounts just below'),
  dormantLimit: msg('Review dormant accounts from'),
  identityLimit: msg('Without proof of identity, up to'),
  fundsLimit: msg('Without proof of the source of funds, up to'),
  documentYears: msg('Documents of former customers are kept for'),
  earningsSecondApproval: msg('Earnings'),
  depositsOpen: msg('New deposits'),
  registrationOpen: msg('Registration of new investors'),
}

export const settingNames = Object.keys(settingLabels) as Name[]

/** What can be open or closed. */
export const openWords = {
  depositsOpen: (isOpen: boolean) =>
    isOpen ? t('Open', {}, 'new deposits') : t('Closed', {}, 'new deposits'),
  registrationOpen: (isOpen: boolean) =>
    isOpen ? t('Open', {}, 'registration') : t('Closed', {}, 'registration'),
}

export const settingWords: Readonly<Record<Name, (values: SettingValues) => ReactNode>> = {
  largeWithdrawal: values => <Usd value={values.largeWithdrawal} />,
  minimumWithdrawal: ({ minimumWithdrawal: value }) =>
    value === 0 ? t('None', {}, 'no minimum') : <Usd value={value} />,
  addressWaitHours: ({ addressWaitHours: hours }) =>
    hours === 0
      ? t('None', {}, 'no waiting time')
      : t('{hours, plural, one {# hour} other {# hours}}', { hours }),
  paymentWindowMinutes: values =>
    t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: values.paymentWindowMinutes }),
  largeReturn: values => <Usd value={values.largeReturn} />,
  turnoverLimit: values => <Usd value={values.turnoverLimit} />,
  reportingLimit: values => <Usd value={values.reportingLimit} />,
  dormantLimit: values => <Usd value={values.dormantLimit} />,
  identityLimit: ({ identityLimit: value }) => (value === null ? t('Not asked for') : <Usd value={value} />),
  fundsLimit: ({ fundsLimit: value }) => (value === null ? t('Not asked for') : <Usd value={value} />),
  documentYears: ({ documentYears: years }) => t('{years, plural, one {# year} other {# years}}', { years }),
  earningsSecondApproval: values =>
    values.earningsSecondApproval ? t('Second approval required') : t('Paid at once'),
  depositsOpen: values => openWords.depositsOpen(values.depositsOpen),
  registrationOpen: values => openWords.registrationOpen(values.registrationOpen),
}
