import type { SettingValues } from '#shared/contract/proposals.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { enterUsd, localUsdShort, parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
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
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { highestMinimumWithdrawalCents } from '#shared/withdrawals.ts'
import { ProposeDialog } from '#web/admin/proposals/propose-dialog.tsx'
import { unchanged } from '#web/admin/versions/what-changes.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { openWords, settingLabels } from './words.tsx'

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

const noAmount = () => enterUsd(1_000_000n)
const noMinimum = () =>
  t('Enter an amount from {least} to {most}', {
    least: localUsdShort(0n),
    most: localUsdShort(highestMinimumWithdrawalCents),
  })
const noWindow = () =>
  t('Enter a whole number of minutes from {least, number} to {most, number}', {
    least: shortestPaymentWindowMinutes,
    most: longestPaymentWindowMinutes,
  })
const noLimit = () => t('Enter an amount in dollars, or nothing')
const noYears = () =>
  t('Enter a whole number of years from 1 to {most, number}', { most: longestDocumentYears })
const noHours = () =>
  t('Enter a whole number of hours from 0 to {most, number}', { most: longestAddressWaitHours })

function check(values: Values): ValidationError | undefined {
  const wrong = amounts.map(name => {
    const cents = parseTypedUsd(values[name])
    return cents === undefined || cents <= 0n ? fieldError(name, noAmount()) : undefined
  })
  const minimum = parseTypedUsd(values.minimumWithdrawal)
  if (minimum === undefined || minimum > highestMinimumWithdrawalCents)
    wrong.push(fieldError('minimumWithdrawal', noMinimum()))
  if (!/^\d{1,3}$/.test(values.addressWaitHours) || Number(values.addressWaitHours) > longestAddressWaitHours)
    wrong.push(fieldError('addressWaitHours', noHours()))
  const window = /^\d{2}$/.test(values.paymentWindowMinutes) ? Number(values.paymentWindowMinutes) : 0
  if (window < shortestPaymentWindowMinutes || window > longestPaymentWindowMinutes)
    wrong.push(fieldError('paymentWindowMinutes', noWindow()))
  return mergeErrors(...wrong, ...identityErrors(values))
}

function identityErrors({ identityLimit, fundsLimit, documentYears }: Values) {
  const [identity, funds] = [identityLimit, fundsLimit].map(typed =>
    typed.trim() === '' ? null : parseTypedUsd(typed),
  )
  return [
    identity === undefined ? fieldError('identityLimit', noLimit()) : undefined,
    funds === undefined ? fieldError('fundsLimit', noLimit()) : undefined,
    identity != null && funds != null && identity > funds
      ? fieldError('identityLimit', t('Enter at most the amount without proof of the source of funds'))
      : undefined,
    !/^\d{1,2}$/.test(documentYears) ||
    Number(documentYears) < 1 ||
    Number(documentYears) > longestDocumentYears
      ? fieldError('documentYears', noYears())
      : undefined,
  ]
}

const isSame = (a: SettingValues, b: SettingValues) =>
  Object.entries(a).every(([name, value]) => value === b[name as keyof SettingValues])

/** Nothing typed: it is not asked for. */
const usdOrNone = (typed: string) => (typed.trim() === '' ? null : usdToJson(parseTypedUsd(typed)!))

function settingsOf(typed: Values): SettingValues {
  return {
    largeWithdrawal: usdToJson(parseTypedUsd(typed.largeWithdrawal)!),
    minimumWithdrawal: usdToJson(parseTypedUsd(typed.minimumWithdrawal)!),
    addressWaitHours: Number(typed.addressWaitHours),
    paymentWindowMinutes: Number(typed.paymentWindowMinutes),
    largeReturn: usdToJson(parseTypedUsd(typed.largeReturn)!),
    turnoverLimit: usdToJson(parseTypedUsd(typed.turnoverLimit)!),
    reportingLimit: usdToJson(parseTypedUsd(typed.reportingLimit)!),
    dormantLimit: usdToJson(parseTypedUsd(typed.dormantLimit)!),
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
        label={translate(settingLabels.paymentWindowMinutes)}
        hint={t(
          'In minutes, from {least, number} to {most, number}: how long we hold the rate of a payment. A longer window lets investors wait for a better rate at our cost.',
          { least: shortestPaymentWindowMinutes, most: longestPaymentWindowMinutes },
        )}
      >
        <Input inputMode="numeric" defaultValue={String(values.paymentWindowMinutes)} />
      </Field>
      <Field
        name="largeReturn"
        label={translate(settingLabels.largeReturn)}
        hint={t(
          'In US dollars, for all that one person records in 24 hours. Returns already recorded are not affected.',
        )}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeReturn)!)} />
      </Field>
      <MonitoringFields values={values} />
      <IdentityFields values={values} />
      <Field name="earningsSecondApproval" label={translate(settingLabels.earningsSecondApproval)}>
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
        label={translate(settingLabels.largeWithdrawal)}
        hint={t('In US dollars. Withdrawals already requested are not affected.')}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeWithdrawal)!)} autoFocus />
      </Field>
      <Field
        name="minimumWithdrawal"
        label={translate(settingLabels.minimumWithdrawal)}
        hint={t(
          'In US dollars, at most {most}; 0 for none. Investors can always withdraw their whole balance.',
          { most: localUsdShort(highestMinimumWithdrawalCents) },
        )}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.minimumWithdrawal)!)} />
      </Field>
      <Field
        name="addressWaitHours"
        label={translate(settingLabels.addressWaitHours)}
        hint={t(
          'In hours, at most {most, number}; 0 for no waiting time. It gives investors time to react to an address they did not add.',
          { most: longestAddressWaitHours },
        )}
      >
        <Input inputMode="numeric" defaultValue={String(values.addressWaitHours)} />
      </Field>
    </>
  )
}

const monitored = [
  [
    'turnoverLimit',
    () =>
      t(
        'In US dollars: all deposits, or all withdrawals, of an account in {days, plural, one {# day} other {# days}}.',
        { days: monitoredDays },
      ),
  ],
  [
    'reportingLimit',
    () =>
      t(
        'In US dollars: {movements, number} deposits, or withdrawals, of at least {percent, number}% of it in {days, plural, one {# day} other {# days}}. Money that passes through is reviewed from the same amount.',
        { movements: structuredMovements, percent: nearPercent, days: monitoredDays },
      ),
  ],
  [
    'dormantLimit',
    () =>
      t(
        'In US dollars: deposits, or withdrawals, after {days, plural, one {# day} other {# days}} without either.',
        { days: dormantDays },
      ),
  ],
] as const

function MonitoringFields({ values }: { values: SettingValues }) {
  return monitored.map(([name, hint]) => (
    <Field key={name} name={name} label={translate(settingLabels[name])} hint={hint()}>
      <MoneyInput defaultValue={typedUsd(usdFromJson(values[name])!)} />
    </Field>
  ))
}

const proved = [
  [
    'identityLimit',
    () =>
      t(
        'In US dollars, for all withdrawals of {days, plural, one {# day} other {# days}}, and for all that is invested at once. Above it, both wait, also those that are pending. Enter nothing if you do not ask for proof of identity.',
        { days: identityPeriodDays },
      ),
  ],
  [
    'fundsLimit',
    () => t('The same for people whose identity is verified. Enter nothing if you do not ask for it.'),
  ],
] as const

function IdentityFields({ values }: { values: SettingValues }) {
  return (
    <>
      {proved.map(([name, hint]) => (
        <Field key={name} name={name} label={translate(settingLabels[name])} hint={hint()} optional>
          <MoneyInput defaultValue={values[name] === null ? '' : typedUsd(usdFromJson(values[name])!)} />
        </Field>
      ))}
      <Field
        name="documentYears"
        label={translate(settingLabels.documentYears)}
        hint={t(
          'In years, at most {most, number}, from the day on which a person stops being a customer or a proof stops counting. Ask your lawyer.',
          { most: longestDocumentYears },
        )}
      >
        <Input inputMode="numeric" defaultValue={String(values.documentYears)} />
      </Field>
    </>
  )
}

type OpenFieldProps = {
  name: keyof typeof openWords
  hint: string
  isOpen: boolean
}

function OpenField({ name, hint, isOpen }: OpenFieldProps) {
  return (
    <Field name={name} label={translate(settingLabels[name])} hint={hint}>
      <Select defaultValue={isOpen ? 'open' : 'closed'}>
        <option value="open">{openWords[name](true)}</option>
        <option value="closed">{openWords[name](false)}</option>
      </Select>
    </Field>
  )
}
