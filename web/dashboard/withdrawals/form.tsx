import { Suspense, use, useEffect, useRef, useState } from 'react'
import { addressError, pastedAddress } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { PayoutAddress } from '#shared/contract/addresses.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { localUsd, localUsdShort, parseTypedUsd, typedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { minimumWithdrawal } from '#shared/withdrawals.ts'
import type { ApiError } from '#web/api/errors.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Cents } from '#web/components/amounts.tsx'
import { WithdrawalReview } from '#web/dashboard/dialogs.tsx'
import { useSummary } from '#web/dashboard/home/balances.tsx'
import { LimitLine } from '#web/dashboard/identity/notice.tsx'
import { useStep } from '#web/dashboard/step.ts'
import { readAmount } from '#web/dashboard/typed-amount.ts'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Field, FormErrors } from '#web/ui/field.tsx'
import { Form, missing, SubmitButton, type ValidationError } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.ts'
import { entryOf, Novelty, useAddressBook } from './novelty.tsx'
import { Estimate, ExpectedTime } from './outlook.tsx'
import type { WithdrawalDraft } from './review.tsx'

const fields = ['amount', 'wallet', 'walletAddress'] as const
type Values = Record<(typeof fields)[number], string>
/** The server judges the address for the coin, also if it comes from the book. */
const destinationFields = ['wallet', 'walletAddress', 'savedAddress'] as const

/** No coin has shorter addresses: a shorter text is still being typed. */
const shortestAddress = 25

type Limits = { balanceCents: bigint | undefined; minimumCents: bigint; testNetworks: boolean }

/** Checks a request before it is sent (D-09, D7); the server checks it again. */
export function withdrawalError(
  values: Values,
  { balanceCents, minimumCents, testNetworks }: Limits,
): ValidationError | undefined {
  const empty = missing(values, fields, t('All fields are requred fields'))
  if (empty) return empty
  const { cents, error } = readAmount(values.amount)
  const amount =
    error ?? (balanceCents === undefined ? undefined : outside(cents, { minimumCents, balanceCents }))
  const address = addressError(values.wallet as WithdrawalWallet, pastedAddress(values.walletAddress), {
    testNetworks,
  })
  const message = amount ?? address
  if (message === undefined) return undefined
  return { message, fields: { ...(amount && { amount }), ...(address && { walletAddress: address }) } }
}

type Range = { minimumCents: bigint; balanceCents: bigint }

function outside(cents: bigint, { minimumCents, balanceCents }: Range): string | undefined {
  if (cents > balanceCents) return t('Your available balance is {amount}', { amount: localUsd(balanceCents) })
  return cents < minimumCents && cents < balanceCents
    ? minimumWithdrawal(minimumCents, balanceCents)
    : undefined
}

/** Requests a withdrawal in two steps (D-08, D-09): the form, then a confirmation. */
export function WithdrawalForm() {
  const sums = useSummary()
  const balanceCents = sums && usdFromJson(sums.balance)
  const place = useRef<HTMLDivElement>(null)
  const done = useRef(false)
  const review = useStep('review')
  const [draft, setDraft] = useState<WithdrawalDraft>()
  const [before, setBefore] = useState<ApiError>()
  const [sent, setSent] = useState(0)
  const { run, pending, error } = useMutation(newWithdrawal, {
    onSuccess() {
      done.current = true
      setSent(sent + 1)
      return review.leave()
    },
  })
  const { leave } = review
  // The form, behind the dialog, shows the server's field errors. The dialog takes its toast along: it shows over the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    if (error?.fields) void Promise.resolve(leave()).then(() => toast.error(error.message))
  }, [error])

  function startReview(next: WithdrawalDraft) {
    done.current = false
    setDraft(next)
    setBefore(error)
    return review.enter()
  }

  function send({ amountCents, wallet, walletAddress }: WithdrawalDraft) {
    const body = { amount: usdToJson(amountCents), wallet, address: walletAddress, walletAddress }
    return run({ body })
  }

  /** The refused field; after a success, the first field of the new form. */
  function afterReview(): HTMLElement | undefined {
    const field = done.current ? 'input' : '[aria-invalid]'
    return place.current?.querySelector<HTMLElement>(field) ?? undefined
  }

  return (
    <div ref={place}>
      {/* Remounted after each request, so that nobody sends the same one twice. */}
      <Fields key={sent} balanceCents={balanceCents} pending={pending} error={error} onReview={startReview} />
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
  const { mode, withdrawalWallets, minimumWithdrawal: minimum } = useSite()
  const testNetworks = mode === 'demo'
  const minimumCents = usdFromJson(minimum)!
  const [amount, setAmount] = useState('')
  const amountInput = useRef<HTMLInputElement>(null)
  const [wallet, setWallet] = useState(withdrawalWallets[0]!)

  function fill(cents: bigint) {
    const input = amountInput.current!
    input.value = typedUsd(cents)
    setAmount(input.value)
    input.focus()
  }

  return (
    <Form
      fields={fields}
      linked={destinationFields}
      check={values => withdrawalError(values, { balanceCents, minimumCents, testNetworks })}
      onSubmit={values =>
        onReview({
          amountCents: parseTypedUsd(values.amount)!,
          wallet: values.wallet as WithdrawalWallet,
          walletAddress: pastedAddress(values.walletAddress),
        })
      }
      pending={pending}
      error={error}
    >
      <Field
        name="amount"
        label={t('Amount (USD)')}
        hint={balanceCents !== undefined && <Available cents={balanceCents} minimumCents={minimumCents} />}
      >
        <div className="flex gap-2">
          <div className="grow">
            <MoneyInput ref={amountInput} onInput={event => setAmount(event.currentTarget.value)} />
          </div>
          <Button
            tone="quiet"
            aria-label={t('Max: the whole available balance')}
            disabled={!balanceCents}
            onClick={() => fill(balanceCents!)}
          >
            {t('Max')}
          </Button>
        </div>
      </Field>
      <Afterwards balanceCents={balanceCents} text={amount} />
      <LimitLine of="withdrawals" cents={parseTypedUsd(amount)} />
      <Field name="wallet" label={t('Wallet')}>
        <Select value={wallet} onChange={event => setWallet(event.target.value as WithdrawalWallet)}>
          {withdrawalWallets.map(name => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <Estimate key={wallet} wallet={wallet} cents={parseTypedUsd(amount)} />
      <AddressField wallet={wallet} testNetworks={testNetworks} />
      <ExpectedTime />
      <SubmitButton className="justify-self-start">{t('Request withdrawal')}</SubmitButton>
    </Form>
  )
}

function Available({ cents, minimumCents }: { cents: bigint; minimumCents: bigint }) {
  if (cents === 0n) return t('Nothing is available to withdraw.')
  return (
    <>
      {minimumCents > 0n &&
        `${t('From {minimum}, or all of it.', { minimum: localUsdShort(minimumCents) })} `}
      {tr('Up to {amount}, your available balance', { amount: <Cents cents={cents} /> })}
    </>
  )
}

/** The balance afterwards, and the approvals a large amount needs (D7). */
function Afterwards({ balanceCents, text }: { balanceCents: bigint | undefined; text: string }) {
  const { largeWithdrawal } = useSite()
  const cents = parseTypedUsd(text)
  if (cents === undefined || balanceCents === undefined || cents <= 0n || cents > balanceCents) return null
  const largeCents = usdFromJson(largeWithdrawal)!
  return (
    <p className="-mt-3 text-ink-soft text-sm tabular-nums">
      {t('Leaves {amount} available.', { amount: localUsd(balanceCents - cents) })}
      {cents > largeCents && ` ${twoApprove(largeCents)}`}
    </p>
  )
}

/** Says that a large amount needs two approvals. */
function twoApprove(largeCents: bigint): string {
  return t('Above {amount} in 24 hours, two members of our team must approve it.', {
    amount: localUsdShort(largeCents),
  })
}

type AddressFieldProps = { wallet: WithdrawalWallet; testNetworks: boolean }

/** Checks the address while it is typed, and offers the addresses saved for the coin. */
function AddressField({ wallet, testNetworks }: AddressFieldProps) {
  const book = useAddressBook()
  const [text, setText] = useState('')
  const address = pastedAddress(text)
  const complete = address.length >= shortestAddress
  const error = complete ? addressError(wallet, address, { testNetworks }) : undefined
  // What the server refused is not called valid.
  const isRefused = use(FormErrors).walletAddress !== undefined
  const fits = complete && error === undefined && !isRefused
  const saved = book?.filter(entry => entry.wallet === wallet) ?? []
  const entry = entryOf(saved, { wallet, address })
  return (
    <div className="grid gap-5">
      {saved.length > 0 && <SavedAddresses saved={saved} chosen={entry?.address ?? ''} onChoose={setText} />}
      <div className="grid gap-1.5">
        <Field name="walletAddress" label={t('Wallet address')} error={error}>
          <Input
            dir="ltr"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
          />
        </Field>
        <p role="status" className={cx('text-good text-sm', !fits && 'sr-only')}>
          {fits ? t('Valid {wallet} address', { wallet }) : error}
        </p>
        {fits && <Novelty wallet={wallet} address={address} />}
      </div>
    </div>
  )
}

type SavedAddressesProps = {
  saved: readonly PayoutAddress[]
  /** Empty if the typed address is not saved. */
  chosen: string
  onChoose: (address: string) => void
}

function SavedAddresses({ saved, chosen, onChoose }: SavedAddressesProps) {
  return (
    <Field name="savedAddress" label={t('From your address book')} optional>
      <Select value={chosen} onChange={event => onChoose(event.target.value)}>
        <option value="">{t('Another address')}</option>
        {saved.map(({ _id, label, address }) => (
          <option key={_id} value={address}>
            {label === null ? inShort(address) : `${label} (${inShort(address)})`}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** Beginning and end: enough to tell the listed addresses apart. */
function inShort(address: string): string {
  return `${address.slice(0, 10)}…${address.slice(-8)}`
}
