import type { SettingValues } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { typedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import {
  dormantDays,
  identityPeriodDays,
  longestAddressWaitHours,
  longestDocumentYears,
  longestPaymentWindowMinutes,
  monitoredDays,
  nearPercent,
  shortestPaymentWindowMinutes,
  structuredMovements,
} from '#shared/limits.ts'
import { formatUsdShort, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { highestMinimumWithdrawalCents } from '#shared/withdrawals.ts'
import { ProposeDialog } from '#web/admin/proposals/propose-dialog.tsx'
import { unchanged } from '#web/admin/versions/what-changes.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { settingLabels } from './words.tsx'

const amounts = ['largeWithdrawal', 'largeReturn', 'turnoverLimit', 'reportingLimit', 'dormantLimit'] as const
const fields = [
  'largeWithdrawal',
  'minimumWithdrawal',
  'addressWaitHours',
  'paymentWindowMinutes',
  'largeReturn',
  'turnoverLimit',
  'reportingLimit',
  'dormantLimit',
  'identityLimit',
  'fundsLimit',
  'documentYears',
  'earningsSecondApproval',
  'depositsOpen',
  'registrationOpen',
] as const
type Values = Record<(typeof fields)[number], string>

const noAmount = 'Enter an amount in dollars, such as 10,000.00'
const noMinimum = `Enter an amount from $0 to ${formatUsdShort(highestMinimumWithdrawalCents)}`
const noWindow = `Enter a whole number of minutes from ${shortestPaymentWindowMinutes} to ${longestPaymentWindowMinutes}`
const noLimit = 'Enter an amount in dollars, or nothing'
const noYears = `Enter a whole number of years from 1 to ${longestDocumentYears}`
const noHours = `Enter a whole number of hours from 0 to ${longestAddressWaitHours}`

function check(values: Values): ValidationError | undefined {
  const wrong = amounts.map(name => {
    const cents = parseUsd(values[name])
    return cents === undefined || cents <= 0n ? fieldError(name, noAmount) : undefined
  })
  const minimum = parseUsd(values.minimumWithdrawal)
  if (minimum === undefined || minimum > highestMinimumWithdrawalCents)
    wrong.push(fieldError('minimumWithdrawal', noMinimum))
  if (!/^\d{1,3}$/.test(values.addressWaitHours) || Number(values.addressWaitHours) > longestAddressWaitHours)
    wrong.push(fieldError('addressWaitHours', noHours))
  const window = /^\d{2}$/.test(values.paymentWindowMinutes) ? Number(values.paymentWindowMinutes) : 0
  if (window < shortestPaymentWindowMinutes || window > longestPaymentWindowMinutes)
    wrong.push(fieldError('paymentWindowMinutes', noWindow))
  return mergeErrors(...wrong, ...identityErrors(values))
}

function identityErrors({ identityLimit, fundsLimit, documentYears }: Values) {
  const [identity, funds] = [identityLimit, fundsLimit].map(typed =>
    typed.trim() === '' ? null : parseUsd(typed),
  )
  return [
    identity === undefined ? fieldError('identityLimit', noLimit) : undefined,
    funds === undefined ? fieldError('fundsLimit', noLimit) : undefined,
    identity != null && funds != null && identity > funds
      ? fieldError('identityLimit', 'Enter at most the amount without proof of the source of funds')
      : undefined,
    !/^\d{1,2}$/.test(documentYears) ||
    Number(documentYears) < 1 ||
    Number(documentYears) > longestDocumentYears
      ? fieldError('documentYears', noYears)
      : undefined,
  ]
}

const isSame = (a: SettingValues, b: SettingValues) =>
  Object.entries(a).every(([name, value]) => value === b[name as keyof SettingValues])

/** Nothing typed: it is not asked for. */
const usdOrNone = (typed: string) => (typed.trim() === '' ? null : usdToJson(parseUsd(typed)!))

function settingsOf(typed: Values): SettingValues {
  return {
    largeWithdrawal: usdToJson(parseUsd(typed.largeWithdrawal)!),
    minimumWithdrawal: usdToJson(parseUsd(typed.minimumWithdrawal)!),
    addressWaitHours: Number(typed.addressWaitHours),
    paymentWindowMinutes: Number(typed.paymentWindowMinutes),
    largeReturn: usdToJson(parseUsd(typed.largeReturn)!),
    turnoverLimit: usdToJson(parseUsd(typed.turnoverLimit)!),
    reportingLimit: usdToJson(parseUsd(typed.reportingLimit)!),
    dormantLimit: usdToJson(parseUsd(typed.dormantLimit)!),
    identityLimit: usdOrNone(typed.identityLimit),
    fundsLimit: usdOrNone(typed.fundsLimit),
    documentYears: Number(typed.documentYears),
    earningsSecondApproval: typed.earningsSecondApproval === 'on',
    depositsOpen: typed.depositsOpen === 'open',
    registrationOpen: typed.registrationOpen === 'open',
  }
}

/** Proposes other settings. */
export function ProposeSettings({ values, onClose }: { values: SettingValues; onClose: () => void }) {
  return (
    <ProposeDialog
      call={proposeSettings}
      title={t('Propose a change')}
      description={t('Nothing changes until another admin approves it.')}
      fields={fields}
      check={typed => check(typed) ?? (isSame(settingsOf(typed), values) ? unchanged : undefined)}
      input={(typed, reason) => ({
        body: { ...settingsOf(typed), reason },
      })}
      onClose={onClose}
    >
      <WithdrawalFields values={values} />
      <Field
        name="paymentWindowMinutes"
        label={settingLabels.paymentWindowMinutes}
        hint={`In minutes, from ${shortestPaymentWindowMinutes} to ${longestPaymentWindowMinutes}: how long we hold the rate of a payment. A longer window lets investors wait for a better rate at our cost.`}
      >
        <Input inputMode="numeric" defaultValue={String(values.paymentWindowMinutes)} />
      </Field>
      <Field
        name="largeReturn"
        label={settingLabels.largeReturn}
        hint={t(
          'In US dollars, for all that one person records in 24 hours. Returns already recorded are not affected.',
        )}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeReturn)!)} />
      </Field>
      <MonitoringFields values={values} />
      <IdentityFields values={values} />
      <Field name="earningsSecondApproval" label={settingLabels.earningsSecondApproval}>
        <Select defaultValue={values.earningsSecondApproval ? 'on' : 'off'}>
          <option value="off">{t('Paid at once')}</option>
          <option value="on">{t('Second approval required')}</option>
        </Select>
      </Field>
      <OpenField
        name="depositsOpen"
        hint={t('While they are closed, nobody can request one. We still credit those already requested.')}
        isOpen={values.depositsOpen}
      />
      <OpenField
        name="registrationOpen"
        hint={t('While it is closed, nobody can open an account. Investors who have one are not affected.')}
        isOpen={values.registrationOpen}
      />
    </ProposeDialog>
  )
}

function WithdrawalFields({ values }: { values: SettingValues }) {
  return (
    <>
      <Field
        name="largeWithdrawal"
        label={settingLabels.largeWithdrawal}
        hint={t('In US dollars. Withdrawals already requested are not affected.')}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeWithdrawal)!)} autoFocus />
      </Field>
      <Field
        name="minimumWithdrawal"
        label={settingLabels.minimumWithdrawal}
        hint={`In US dollars, at most ${formatUsdShort(highestMinimumWithdrawalCents)}; 0 for none. Investors can always withdraw their whole balance.`}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.minimumWithdrawal)!)} />
      </Field>
      <Field
        name="addressWaitHours"
        label={settingLabels.addressWaitHours}
        hint={`In hours, at most ${longestAddressWaitHours}; 0 for no waiting time. It gives investors time to react to an address they did not add.`}
      >
        <Input inputMode="numeric" defaultValue={String(values.addressWaitHours)} />
      </Field>
    </>
  )
}

const monitored = [
  [
    'turnoverLimit',
    `In US dollars: all deposits, or all withdrawals, of an account in ${monitoredDays} days.`,
  ],
  [
    'reportingLimit',
    `In US dollars: ${structuredMovements} deposits, or withdrawals, of at least ${nearPercent}% of it in ${monitoredDays} days. Money that passes through is reviewed from the same amount.`,
  ],
  ['dormantLimit', `In US dollars: deposits, or withdrawals, after ${dormantDays} days without either.`],
] as const

function MonitoringFields({ values }: { values: SettingValues }) {
  return monitored.map(([name, hint]) => (
    <Field key={name} name={name} label={settingLabels[name]} hint={hint}>
      <MoneyInput defaultValue={typedUsd(usdFromJson(values[name])!)} />
    </Field>
  ))
}

const proved = [
  [
    'identityLimit',
    `In US dollars, for all withdrawals of ${identityPeriodDays} days, and for all that is invested at once. Above it, both wait, also those that are pending. Enter nothing if you do not ask for proof of identity.`,
  ],
  ['fundsLimit', 'The same for people whose identity is verified. Enter nothing if you do not ask for it.'],
] as const

function IdentityFields({ values }: { values: SettingValues }) {
  return (
    <>
      {proved.map(([name, hint]) => (
        <Field key={name} name={name} label={settingLabels[name]} hint={hint} optional>
          <MoneyInput defaultValue={values[name] === null ? '' : typedUsd(usdFromJson(values[name])!)} />
        </Field>
      ))}
      <Field
        name="documentYears"
        label={settingLabels.documentYears}
        hint={`In years, at most ${longestDocumentYears}, from the day on which a person stops being a customer or a proof stops counting. Ask your lawyer.`}
      >
        <Input inputMode="numeric" defaultValue={String(values.documentYears)} />
      </Field>
    </>
  )
}

type OpenFieldProps = {
  name: 'depositsOpen' | 'registrationOpen'
  hint: string
  isOpen: boolean
}

function OpenField({ name, hint, isOpen }: OpenFieldProps) {
  return (
    <Field name={name} label={settingLabels[name]} hint={hint}>
      <Select defaultValue={isOpen ? 'open' : 'closed'}>
        <option value="open">{t('Open')}</option>
        <option value="closed">{t('Closed')}</option>
      </Select>
    </Field>
  )
}
