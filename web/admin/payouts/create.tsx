import { useState } from 'react'
import { Link } from 'react-router'
import { addressKey } from '#shared/addresses.ts'
import { isPayoutWallet, type PayoutWallet, payoutRails, payoutWallets } from '#shared/batch-coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { newPayout, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { localRate, localUsd } from '#shared/i18n/amounts.ts'
import { number, perLanguage } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { openAction } from '#web/admin/actions/open.ts'
import { isOwn } from '#web/admin/rights.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { Form, fieldError, mergeErrors, SubmitButton } from '#web/ui/form.tsx'
import { Select } from '#web/ui/input.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { FeeRateField, feeRateError } from './fee-rate.tsx'
import { CoinText, calculating, feeWords } from './parts.tsx'

type Ready = CallData<typeof readyForPayout>
type Row = Ready['withdrawals'][number]

/** Chooses withdrawals of one coin, previews their batch, and creates it. */
export function CreatePayout() {
  const [wallet, setWallet] = useState<PayoutWallet>()
  const read = useRead(readyForPayout, { query: wallet ? { wallet } : {} }, { keep: true })
  const { isError, refetch } = read
  const data = wallet === undefined || read.data?.wallet === wallet ? read.data : undefined
  const { withdrawalWallets } = useSite()
  // A coin that is no longer offered can still have withdrawals to pay.
  const offered = payoutWallets.filter(name => withdrawalWallets.includes(name) || name === wallet)
  // The coin that has waited longest when the page opens; it must not change during the choice.
  if (wallet === undefined && data) setWallet(data.wallet)
  return (
    <div {...focusHome} className="grid gap-6 outline-none">
      <Field name="wallet" label={t('Coin')} className="max-w-xs">
        <Select
          value={wallet ?? ''}
          onChange={({ target: { value } }) => isPayoutWallet(value) && setWallet(value)}
        >
          {/* Until the server says which one has waited longest. */}
          {wallet === undefined && <option value="" />}
          {offered.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>
          {t('The withdrawals to pay could not be loaded.')}
        </FailedState>
      )}
      {!data && !isError && <Loading label={t('Loading the withdrawals to pay')} lines={5} />}
      {data && <Choice key={data.wallet} wallet={data.wallet} ready={data} />}
    </div>
  )
}

/** Why this admin cannot choose a withdrawal now. */
function blockerOf({ user, frozen, inDebt, nameStopped, flagged, unpayable }: Row): string | undefined {
  if (isOwn(user)) return t('Your own', {}, 'a withdrawal')
  if (flagged !== null) return t('Batch {number} has a payment for it to review', { number: flagged })
  if (unpayable !== null) return t('No batch can pay it: see its page')
  if (inDebt) return t('The investor owes us money: see its page')
  if (frozen) return t('Account frozen')
  return nameStopped ? t('The investor may be on a sanctions list: see its page') : undefined
}

/** A batch pays an address only once: keeps the longest approved withdrawal of each. */
function onePerAddress(rows: readonly Row[]): Row[] {
  const first = new Map<string, Row>()
  for (const row of rows) {
    const key = addressKey(row.walletAddress)
    if (!first.has(key)) first.set(key, row)
  }
  return [...first.values()]
}

/** Why a withdrawal cannot join those already chosen. */
function sharesAddress(row: Row, chosen: readonly Row[]): string | undefined {
  const key = addressKey(row.walletAddress)
  const other = chosen.find(({ walletAddress }) => addressKey(walletAddress) === key)
  if (other === undefined || other._id === row._id) return undefined
  return t('Same address as {number}: needs another batch', { number: other.invoiceId })
}

function Choice({ wallet, ready }: { wallet: PayoutWallet; ready: Ready }) {
  const { unavailable, withdrawals, asksFeeRate, feeRateNow, most, more } = ready
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const possible = withdrawals.filter(row => blockerOf(row) === undefined)
  const chosen = onePerAddress(possible.filter(({ _id }) => !excluded.has(_id)))
  if (unavailable !== null) return <EmptyState>{unavailable}</EmptyState>
  if (withdrawals.length === 0)
    return <EmptyState>{t('No approved withdrawals in {wallet} to pay.', { wallet })}</EmptyState>
  const toggle = (id: string) => {
    const next = new Set(excluded)
    if (!next.delete(id)) next.add(id)
    setExcluded(next)
  }
  const review = ({ feeRate }: { feeRate: string }) =>
    openAction(close => (
      <ConfirmPayout
        wallet={wallet}
        chosen={chosen}
        feeRate={asksFeeRate ? Number(feeRate) : undefined}
        onClose={close}
      />
    ))
  return (
    <div className="grid gap-5">
      <Table
        wide
        caption={t('Approved withdrawals in {wallet}, the longest approved first', { wallet })}
        columns={columnsOf(wallet, row => blockerOf(row) ?? sharesAddress(row, chosen))}
        rows={withdrawals}
        keyOf={({ _id }) => _id}
        lead={row => (
          <input
            type="checkbox"
            className="size-5 accent-accent"
            aria-label={t('Pay {number}', { number: row.invoiceId })}
            checked={chosen.includes(row)}
            disabled={!possible.includes(row) || sharesAddress(row, chosen) !== undefined}
            onChange={() => toggle(row._id)}
          />
        )}
      />
      {more && (
        <p className="text-ink-soft text-sm">
          {t(
            'A batch pays at most {most, plural, one {# withdrawal} other {# withdrawals}}. The rest can go into the next batch.',
            { most },
          )}
        </p>
      )}
      <Form
        fields={formFields}
        check={values =>
          mergeErrors(
            chosen.length === 0 ? { message: t('Choose at least one withdrawal'), fields: {} } : undefined,
            asksFeeRate ? feeRateError(values.feeRate.trim()) : undefined,
          )
        }
        onSubmit={review}
        pending={false}
      >
        {asksFeeRate && <FeeRateField estimate={feeRateNow} />}
        <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
          <SubmitButton>{t('Review batch')}</SubmitButton>
          <p className="text-ink-soft text-sm tabular-nums" role="status">
            {t('{count, number} chosen, {amount}', {
              count: chosen.length,
              amount: localUsd(chosen.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)),
            })}
          </p>
        </div>
      </Form>
    </div>
  )
}

const formFields = ['feeRate'] as const

function columnsOf(wallet: PayoutWallet, whyNot: (row: Row) => string | undefined): readonly Column<Row>[] {
  const { asset } = payoutRails[wallet]
  return [
    { header: t('Withdrawal'), cell: row => <Named row={row} why={whyNot(row)} /> },
    { header: t('User'), cell: ({ userName }) => userName ?? '—' },
    { header: t('Address'), cell: row => <GroupedAddress address={row.walletAddress} /> },
    { header: t('Approved'), cell: ({ approvedAt }) => <When at={approvedAt} /> },
    { header: t('Amount'), cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    {
      header: t('Amount in coin'),
      numeric: true,
      cell: ({ amountCrypto }) =>
        amountCrypto === null ? t('Fixed when you create it') : <CoinText of={{ amountCrypto, asset }} />,
    },
  ]
}

function Named({ row, why }: { row: Row; why: string | undefined }) {
  return (
    <span className="grid gap-0.5">
      {row.unpayable === null && !row.inDebt ? (
        <span className="whitespace-nowrap">{row.invoiceId}</span>
      ) : (
        <Link className="prose-link whitespace-nowrap" to={consolePaths.withdrawal(row._id)}>
          {row.invoiceId}
        </Link>
      )}
      {why && <span className="text-ink-faint text-sm">{why}</span>}
    </span>
  )
}

const confirmFields = ['acceptFee'] as const

type ConfirmProps = {
  wallet: PayoutWallet
  chosen: readonly Row[]
  feeRate: number | undefined
  onClose: () => void
}

/** Previews the batch, as the server calculates it, before it is created. */
function ConfirmPayout({ wallet, chosen, feeRate, onClose }: ConfirmProps) {
  const withdrawals = chosen.map(({ _id }) => _id)
  const rate = feeRate === undefined ? {} : { feeRate }
  const query = {
    wallet,
    withdrawals: withdrawals.join(','),
    ...(feeRate === undefined ? {} : { feeRate: String(feeRate) }),
  }
  const preview = useRead(previewPayout, { query }, { held: true })
  const { data } = preview
  const { asset } = payoutRails[wallet]
  const isHigh = data !== undefined && data.highFee !== null
  return (
    <ActionDialog
      call={newPayout}
      title={t('Create this batch?')}
      description={t(
        'Its withdrawals are reserved until it is paid or cancelled. Nothing is sent before you sign it on the batch’s page.',
      )}
      entries={
        data
          ? [
              [t('Withdrawals'), number(data.count)],
              [t('Amount'), <Usd key="amount" value={data.amount} />],
              [t('Amount in coin'), <CoinText key="coin" of={{ ...data, asset }} />],
              [t('Rate fixed now'), rateLockWords(data, asset)],
              [
                t('Network fee'),
                data.fee ? tr('{fee}, paid by us', { fee: feeWords(data.fee) }) : t('Paid by us'),
              ],
              [
                t('Fee share'),
                data.highFee && t('{percent} % of the amount paid', { percent: percentWords(data.highFee) }),
              ],
              [t('Paid from'), data.sender === null ? inputs(data.inputs) : null],
              [
                t('Change, back to our wallet'),
                data.change && <CoinText key="change" of={{ ...data.change, asset }} />,
              ],
              [t('Paid from'), data.sender && <GroupedAddress key="sender" address={data.sender} />],
            ]
          : []
      }
      waiting={calculating(preview)}
      fields={confirmFields}
      check={({ acceptFee }) =>
        isHigh && acceptFee !== 'yes' ? fieldError('acceptFee', acceptanceMissing()) : undefined
      }
      optionalReason="log"
      loading={t('Creating the batch')}
      confirm={t('Create batch')}
      input={() => ({
        body: { wallet, withdrawals, ...rate, ...(isHigh ? { acceptedFee: data!.fee!.amountCrypto } : {}) },
      })}
      shown={made => shownAt(consolePaths.payout(made._id), made.number, false)}
      onClose={onClose}
    >
      {isHigh && (
        <Attestation name="acceptFee">
          {t('I accept the network fee of {percent} % of the amount paid.', {
            percent: percentWords(data.highFee!),
          })}
        </Attestation>
      )}
    </ActionDialog>
  )
}

type Preview = CallData<typeof previewPayout>

const percents = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { minimumFractionDigits: 1, useGrouping: false }),
)

function percentWords(share: string): string {
  return percents().format(Number(share))
}

function acceptanceMissing(): string {
  return t('Accept the fee, or go back and choose a lower fee rate or pay more withdrawals together')
}

function rateLockWords({ fixedNow }: Preview, asset: string): string | null {
  if (fixedNow === null) return null
  const { count, rate, rateSource } = fixedNow
  return t('{count, plural, one {# withdrawal} other {# withdrawals}} at {rate} per {asset} ({source})', {
    count,
    rate: localRate(rate),
    asset,
    source: sourceWords(rateSource),
  })
}

function inputs(count: number): string {
  return t('Our Bitcoin wallet, {count, plural, one {# input} other {# inputs}}', { count })
}
