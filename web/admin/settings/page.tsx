import { useState } from 'react'
import type { SettingValues } from '#shared/contract/proposals.ts'
import { getSettings, proposeSettings } from '#shared/contract/settings.ts'
import { longestAddressWaitHours } from '#shared/limits.ts'
import { formatUsdShort, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { highestMinimumWithdrawalCents } from '#shared/withdrawals.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { ProposalsSection, useBlocked } from '#web/admin/proposals/list.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, type ValidationError } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select, typedUsd } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { settingWords } from './words.tsx'

export const meta = pageMeta('Settings')

/** Settings, which two admins change (D7). */
export default function SettingsPage() {
  const { data, isError, refetch } = useRead(getSettings, {})
  const [open, setOpen] = useState(false)
  const blocked = useBlocked('settings')
  return (
    <>
      <PageHead
        title="Settings"
        lead="Changes need two admins and apply to new requests only."
        aside={
          <Button disabled={blocked !== undefined} title={blocked} onClick={() => setOpen(true)}>
            Propose a change
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Section title="Current settings">
          {!data && !isError && <Loading label="Loading the settings" lines={3} />}
          {!data && isError && (
            <FailedState onRetry={() => void refetch()}>The settings could not be loaded.</FailedState>
          )}
          {data && (
            <DescriptionList
              entries={[
                ...settingWords.map(({ label, words }): Entry => [label, words(data.values)]),
                [
                  'Since',
                  data.changedAt === null ? 'Initial configuration' : <When key="at" at={data.changedAt} />,
                ],
              ]}
            />
          )}
        </Section>
        <ProposalsSection kind="settings" />
      </div>
      {open && data && <Propose values={data.values} onClose={() => setOpen(false)} />}
    </>
  )
}

const amounts = ['largeWithdrawal', 'largeReturn'] as const
const fields = [
  'largeWithdrawal',
  'minimumWithdrawal',
  'addressWaitHours',
  'largeReturn',
  'earningsSecondApproval',
  'depositsOpen',
  'registrationOpen',
  'reason',
] as const
type Values = Record<(typeof fields)[number], string>

const noAmount = 'Enter an amount in dollars, such as 10,000.00'
const noMinimum = `Enter an amount from $0 to ${formatUsdShort(highestMinimumWithdrawalCents)}`
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
  return mergeErrors(...wrong, reasonError(values))
}

function Propose({ values, onClose }: { values: SettingValues; onClose: () => void }) {
  return (
    <ActionDialog
      call={proposeSettings}
      title="Propose a change"
      description="Nothing changes until another admin approves it."
      entries={[]}
      fields={fields}
      check={check}
      confirm="Propose"
      input={typed => ({
        body: {
          largeWithdrawal: usdToJson(parseUsd(typed.largeWithdrawal)!),
          minimumWithdrawal: usdToJson(parseUsd(typed.minimumWithdrawal)!),
          addressWaitHours: Number(typed.addressWaitHours),
          largeReturn: usdToJson(parseUsd(typed.largeReturn)!),
          earningsSecondApproval: typed.earningsSecondApproval === 'on',
          depositsOpen: typed.depositsOpen === 'open',
          registrationOpen: typed.registrationOpen === 'open',
          reason: typed.reason.trim(),
        },
      })}
      onClose={onClose}
      // The new proposal shows there.
      focusTo={() => document.getElementById(proposalsAnchor)}
    >
      <WithdrawalFields values={values} />
      <Field
        name="largeReturn"
        label="Returns need a second person above"
        hint="In US dollars, for all that one person records in 24 hours. Returns already recorded are not affected."
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeReturn)!)} />
      </Field>
      <Field name="earningsSecondApproval" label="Earnings">
        <Select defaultValue={values.earningsSecondApproval ? 'on' : 'off'}>
          <option value="off">Paid at once</option>
          <option value="on">Second approval required</option>
        </Select>
      </Field>
      <OpenField
        name="depositsOpen"
        label="New deposits"
        hint="While they are closed, nobody can request one. We still credit those already requested."
        isOpen={values.depositsOpen}
      />
      <OpenField
        name="registrationOpen"
        label="Registration of new investors"
        hint="While it is closed, nobody can open an account. Investors who have one are not affected."
        isOpen={values.registrationOpen}
      />
      <ReasonField />
    </ActionDialog>
  )
}

function WithdrawalFields({ values }: { values: SettingValues }) {
  return (
    <>
      <Field
        name="largeWithdrawal"
        label="Withdrawals need two approvals above"
        hint="In US dollars. Withdrawals already requested are not affected."
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.largeWithdrawal)!)} autoFocus />
      </Field>
      <Field
        name="minimumWithdrawal"
        label="Minimum withdrawal"
        hint={`In US dollars, at most ${formatUsdShort(highestMinimumWithdrawalCents)}; 0 for none. Investors can always withdraw their whole balance.`}
      >
        <MoneyInput defaultValue={typedUsd(usdFromJson(values.minimumWithdrawal)!)} />
      </Field>
      <Field
        name="addressWaitHours"
        label="New withdrawal addresses wait"
        hint={`In hours, at most ${longestAddressWaitHours}; 0 for no waiting time. It gives investors time to react to an address they did not add.`}
      >
        <Input inputMode="numeric" defaultValue={String(values.addressWaitHours)} />
      </Field>
    </>
  )
}

type OpenFieldProps = {
  name: 'depositsOpen' | 'registrationOpen'
  label: string
  hint: string
  isOpen: boolean
}

function OpenField({ name, label, hint, isOpen }: OpenFieldProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      <Select defaultValue={isOpen ? 'open' : 'closed'}>
        <option value="open">Open</option>
        <option value="closed">Closed</option>
      </Select>
    </Field>
  )
}
