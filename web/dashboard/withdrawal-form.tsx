import { Suspense, useEffect, useRef, useState } from 'react'
import { addressFault, addressKey, pastedAddress } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { listOwnAddresses, type PayoutAddress } from '#shared/contract/addresses.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { formatUsd, formatUsdShort, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { useAct } from '#web/api/act.ts'
import type { ApiError } from '#web/api/errors.ts'
import { useList } from '#web/api/read.ts'
import { Cents } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { cx } from '#web/ui/cx.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, Form, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { useSummary } from './balances.tsx'
import { WithdrawalReview } from './dialogs.tsx'
import { useStep } from './step.ts'
import { readAmount } from './typed-amount.ts'
import type { WithdrawalDraft } from './withdrawal-review.tsx'

const fields = ['amount', 'wallet', 'walletAddress'] as const
type Values = Record<(typeof fields)[number], string>

/** Shorter texts are still being typed: no address of any coin is shorter. */
const shortestAddress = 25

type Limits = { balanceCents: bigint | undefined; testNetworks: boolean }

/** What is wrong with a request before it is sent (D-09, D7); the server looks again. */
export function withdrawalFault(values: Values, { balanceCents, testNetworks }: Limits): Fault | undefined {
  const empty = missing(values, fields, 'All fields are requred fields')
  if (empty) return empty
  const { cents, fault } = readAmount(values.amount)
  const amount =
    fault ?? (balanceCents !== undefined && cents > balanceCents ? beyond(balanceCents) : undefined)
  const address = addressFault(values.wallet as WithdrawalWallet, pastedAddress(values.walletAddress), {
    testNetworks,
  })
  const message = amount ?? address
  if (message === undefined) return undefined
  return { message, fields: { ...(amount && { amount }), ...(address && { walletAddress: address }) } }
}

function beyond(balanceCents: bigint): string {
  return `Your available balance is ${formatUsd(balanceCents)}`
}

/** Asks for a withdrawal in two steps (D-08, D-09): what is typed is looked at once more before it is sent. */
export function WithdrawalForm() {
  const sums = useSummary()
  const balanceCents = sums && usdFromJson(sums.balance)
  const place = useRef<HTMLDivElement>(null)
  const done = useRef(false)
  const review = useStep('review')
  const [draft, setDraft] = useState<WithdrawalDraft>()
  const [before, setBefore] = useState<ApiError>()
  const [sent, setSent] = useState(0)
  const { run, pending, error } = useAct(newWithdrawal, {
    onSuccess() {
      done.current = true
      setSent(sent + 1)
      return review.leave()
    },
  })
  const { leave } = review
  // What the server finds wrong in a field is shown there, behind the dialog.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a refusal.
  useEffect(() => void (error?.fields && leave()), [error])

  function look(next: WithdrawalDraft) {
    done.current = false
    setDraft(next)
    setBefore(error)
    return review.enter()
  }

  function send({ amountCents, wallet, walletAddress }: WithdrawalDraft) {
    const body = { amount: usdToJson(amountCents), wallet, address: walletAddress, walletAddress }
    return run({ body })
  }

  /** What the server refused; after a success, whose form is gone, the next one's beginning. */
  function afterReview(): HTMLElement | undefined {
    const field = done.current ? 'input' : '[aria-invalid]'
    return place.current?.querySelector<HTMLElement>(field) ?? undefined
  }

  return (
    <div ref={place}>
      {/* Mounted anew after each, so that nothing is sent twice by habit. */}
      <Fields key={sent} balanceCents={balanceCents} pending={pending} error={error} onReview={look} />
      <Suspense>
        {review.isOn && draft && (
          <WithdrawalReview
            draft={draft}
            balanceCents={balanceCents}
            refusal={error === before || error?.fields ? undefined : error?.message}
            pending={pending}
            onConfirm={() => void send(draft)}
            onClose={() => void leave()}
            focusAfter={afterReview}
          />
        )}
      </Suspense>
    </div>
  )
}

type FieldsProps = {
  balanceCents: bigint | undefined
  pending: boolean
  error: ApiError | undefined
  onReview: (draft: WithdrawalDraft) => unknown
}

function Fields({ balanceCents, pending, error, onReview }: FieldsProps) {
  const { mode, withdrawalWallets } = useSite()
  const testNetworks = mode === 'demo'
  const [amount, setAmount] = useState('')
  const [wallet, setWallet] = useState(withdrawalWallets[0]!)

  return (
    <Form
      fields={fields}
      check={values => withdrawalFault(values, { balanceCents, testNetworks })}
      onSubmit={values =>
        onReview({
          amountCents: parseUsd(values.amount)!,
          wallet: values.wallet as WithdrawalWallet,
          walletAddress: pastedAddress(values.walletAddress),
        })
      }
      pending={pending}
      error={error}
    >
      <Field
        name="amount"
        label="Amount (USD)"
        hint={
          balanceCents !== undefined && (
            <>
              Up to <Cents cents={balanceCents} />, your available balance
            </>
          )
        }
      >
        <MoneyInput onInput={event => setAmount(event.currentTarget.value)} />
      </Field>
      <Afterwards balanceCents={balanceCents} text={amount} />
      <Field name="wallet" label="Wallet">
        <Select value={wallet} onChange={event => setWallet(event.target.value as WithdrawalWallet)}>
          {withdrawalWallets.map(name => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <AddressField wallet={wallet} testNetworks={testNetworks} />
      <SubmitButton className="justify-self-start">Request withdrawal</SubmitButton>
    </Form>
  )
}

/** What stays available, and what a large amount means for its approval (D7). */
function Afterwards({ balanceCents, text }: { balanceCents: bigint | undefined; text: string }) {
  const { largeWithdrawal } = useSite()
  const cents = parseUsd(text)
  if (cents === undefined || balanceCents === undefined || cents <= 0n || cents > balanceCents) return null
  const largeCents = usdFromJson(largeWithdrawal)!
  return (
    <p className="-mt-3 text-ink-soft text-sm tabular-nums">
      Leaves {formatUsd(balanceCents - cents)} available.
      {cents > largeCents && ` Above ${formatUsdShort(largeCents)} two people of the firm must approve it.`}
    </p>
  )
}

type AddressFieldProps = { wallet: WithdrawalWallet; testNetworks: boolean }

/**
 * Looks at the address while it is typed, as soon as it could be one, and again when another coin is chosen. What has been
 * saved for the coin need not be typed.
 */
function AddressField({ wallet, testNetworks }: AddressFieldProps) {
  const book = useList(listOwnAddresses, { limit: maximumPageLimit }).rows
  const [text, setText] = useState('')
  const address = pastedAddress(text)
  const complete = address.length >= shortestAddress
  const fault = complete ? addressFault(wallet, address, { testNetworks }) : undefined
  const fits = complete && fault === undefined
  const saved = book?.filter(entry => entry.wallet === wallet) ?? []
  const entry = saved.find(of => addressKey(of.address) === addressKey(address))
  return (
    <div className="grid gap-5">
      {saved.length > 0 && <SavedAddresses saved={saved} chosen={entry?.address ?? ''} onChoose={setText} />}
      <div className="grid gap-1.5">
        <Field name="walletAddress" label="Wallet address" error={fault}>
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
          />
        </Field>
        <p role="status" className={cx('text-good text-sm', !fits && 'sr-only')}>
          {fits ? `Format and checksum fit ${wallet}` : fault}
        </p>
        {fits && book && <Novelty entry={entry} />}
      </div>
    </div>
  )
}

type SavedAddressesProps = {
  saved: readonly PayoutAddress[]
  /** Empty: the text is another one. */
  chosen: string
  onChoose: (address: string) => void
}

function SavedAddresses({ saved, chosen, onChoose }: SavedAddressesProps) {
  return (
    <Field name="savedAddress" label="From your address book" optional>
      <Select value={chosen} onChange={event => onChoose(event.target.value)}>
        <option value="">Another address</option>
        {saved.map(({ _id, label, address }) => (
          <option key={_id} value={address}>
            {label === null ? inShort(address) : `${label} (${inShort(address)})`}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** Beginning and end, which tell one address of a list from another. */
function inShort(address: string): string {
  return `${address.slice(0, 10)}…${address.slice(-8)}`
}

/** What an address that was not used before means for this request. */
function Novelty({ entry }: { entry: PayoutAddress | undefined }) {
  const { addressWaitHours: hours } = useSite()
  if (entry === undefined) {
    return (
      <p className="text-ink-soft text-sm">
        New to your address book: it may need your password
        {hours > 0 && `, and can be used ${hours} ${hours === 1 ? 'hour' : 'hours'} after that`}.
      </p>
    )
  }
  if (entry.usableFrom === null || Date.parse(entry.usableFrom) <= Date.now()) return null
  return (
    <p className="text-sm text-wait">
      It can be used from <When at={entry.usableFrom} />.
    </p>
  )
}
