import { useState } from 'react'
import { Link } from 'react-router'
import { addressKey } from '#shared/addresses.ts'
import { isPayoutWallet, type PayoutWallet, payoutRails, payoutWallets } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { newPayout, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { feeRateWords, highestFeeRate, lowestFeeRate, maximumPayouts } from '#shared/limits.ts'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { Attestation } from '#web/admin/actions/attestation.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { openAction } from '#web/admin/actions/open.ts'
import { isOwn } from '#web/admin/rights.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, Form, faultAt, mergeFaults, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CoinText } from './parts.tsx'

type Ready = CallData<typeof readyForPayout>
type Row = Ready['withdrawals'][number]

/** Chooses withdrawals of one coin, shows what they come to, and makes a batch of them. */
export function MakePayout() {
  const [wallet, setWallet] = useState<PayoutWallet>()
  const read = useRead(readyForPayout, { query: wallet ? { wallet } : {} }, { keep: true })
  const { isError, refetch } = read
  const data = wallet === undefined || read.data?.wallet === wallet ? read.data : undefined
  const { withdrawalWallets } = useSite()
  // A coin that is offered no more can still have withdrawals to pay.
  const offered = payoutWallets.filter(name => withdrawalWallets.includes(name) || name === wallet)
  // The coin that has waited longest, when the page opens: not another one amid the choice.
  if (wallet === undefined && data) setWallet(data.wallet)
  return (
    <div className="grid gap-6">
      <Field name="wallet" label="Coin" className="max-w-xs">
        <Select
          value={wallet ?? ''}
          onChange={({ target: { value } }) => isPayoutWallet(value) && setWallet(value)}
        >
          {/* Which one has waited longest is not known yet. */}
          {wallet === undefined && <option value="" />}
          {offered.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>The withdrawals to pay could not be loaded.</FailedState>
      )}
      {!data && !isError && <Loading label="Loading the withdrawals to pay" lines={5} />}
      {data && <Choice key={data.wallet} wallet={data.wallet} ready={data} />}
    </div>
  )
}

/** Why a withdrawal cannot be chosen by this admin now. */
function hindrance({ user, frozen, flagged, unpayable }: Row): string | undefined {
  if (isOwn(user)) return 'Your own'
  if (flagged !== null) return `Something came for it by ${flagged}: that batch says what to do`
  if (unpayable !== null) return 'No batch can pay it: its page says why'
  return frozen ? 'Account frozen' : undefined
}

/** A batch pays an address once: of several withdrawals to it, the longest approved. */
function onceAnAddress(rows: readonly Row[]): Row[] {
  const first = new Map<string, Row>()
  for (const row of rows) {
    const key = addressKey(row.walletAddress)
    if (!first.has(key)) first.set(key, row)
  }
  return [...first.values()]
}

/** Why one that could be chosen otherwise cannot be in a batch with those that are. */
function sharesAddress(row: Row, chosen: readonly Row[]): string | undefined {
  const key = addressKey(row.walletAddress)
  const other = chosen.find(({ walletAddress }) => addressKey(walletAddress) === key)
  if (other === undefined || other._id === row._id) return undefined
  return `To the same address as ${other.invoiceId}: for another batch`
}

function Choice({ wallet, ready }: { wallet: PayoutWallet; ready: Ready }) {
  const { unavailable, withdrawals, asksFeeRate, more } = ready
  const [left, leave] = useState<ReadonlySet<string>>(new Set())
  const possible = withdrawals.filter(row => hindrance(row) === undefined).slice(0, maximumPayouts)
  const chosen = onceAnAddress(possible.filter(({ _id }) => !left.has(_id)))
  if (unavailable !== null) return <EmptyState>{unavailable}</EmptyState>
  if (withdrawals.length === 0) return <EmptyState>No approved withdrawal in {wallet} waits.</EmptyState>
  const toggle = (id: string) => {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    leave(next)
  }
  const look = ({ feeRate }: { feeRate: string }) =>
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
        caption={`Approved withdrawals in ${wallet}, the longest approved first`}
        columns={columnsOf(wallet, row => hindrance(row) ?? sharesAddress(row, chosen))}
        rows={withdrawals}
        keyOf={({ _id }) => _id}
        lead={row => (
          <input
            type="checkbox"
            className="size-5 accent-accent"
            aria-label={`Pay ${row.invoiceId}`}
            checked={chosen.includes(row)}
            disabled={!possible.includes(row) || sharesAddress(row, chosen) !== undefined}
            onChange={() => toggle(row._id)}
          />
        )}
      />
      {(more || withdrawals.length > maximumPayouts) && (
        <p className="text-ink-soft text-sm">
          A batch pays at most {maximumPayouts} withdrawals. The others stay here for the next one.
        </p>
      )}
      <Form
        fields={formFields}
        check={values =>
          mergeFaults(
            chosen.length === 0 ? { message: 'Choose at least one withdrawal', fields: {} } : undefined,
            asksFeeRate ? feeRateFault(values.feeRate.trim()) : undefined,
          )
        }
        onSubmit={look}
        pending={false}
      >
        <div className="flex flex-wrap items-end gap-x-6 gap-y-4">
          {asksFeeRate && (
            <Field
              name="feeRate"
              label="Fee rate in sat/vB"
              hint={`A whole number from ${lowestFeeRate} to ${highestFeeRate}, as your wallet or a block explorer suggests it.`}
            >
              <Input inputMode="numeric" autoComplete="off" maxLength={4} />
            </Field>
          )}
          <SubmitButton>Look at the batch</SubmitButton>
          <p className="py-2 text-ink-soft text-sm tabular-nums" role="status">
            {chosen.length} chosen,{' '}
            {formatUsd(chosen.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n))}
          </p>
        </div>
      </Form>
    </div>
  )
}

const formFields = ['feeRate'] as const

function feeRateFault(typed: string): Fault | undefined {
  const rate = Number(typed)
  const isRate = /^\d{1,4}$/.test(typed) && rate >= lowestFeeRate && rate <= highestFeeRate
  return isRate ? undefined : faultAt('feeRate', feeRateWords)
}

function columnsOf(wallet: PayoutWallet, whyNot: (row: Row) => string | undefined): readonly Column<Row>[] {
  const { asset } = payoutRails[wallet]
  return [
    { header: 'Withdrawal', cell: row => <Named row={row} why={whyNot(row)} /> },
    { header: 'User', cell: ({ userName }) => userName ?? '—' },
    { header: 'Address', cell: row => <GroupedAddress address={row.walletAddress} /> },
    { header: 'Approved', cell: ({ approvedAt }) => <When at={approvedAt} /> },
    { header: 'Amount', cell: ({ amount }) => <Usd value={amount} />, numeric: true },
    {
      header: 'In the coin',
      numeric: true,
      cell: ({ amountCrypto }) =>
        amountCrypto === null ? 'Fixed with the batch' : <CoinText of={{ amountCrypto, asset }} />,
    },
  ]
}

function Named({ row, why }: { row: Row; why: string | undefined }) {
  return (
    <span className="grid gap-0.5">
      {row.unpayable === null ? (
        <span className="whitespace-nowrap">{row.invoiceId}</span>
      ) : (
        <Link className="prose-link whitespace-nowrap" to={paths.admin.withdrawal(row._id)}>
          {row.invoiceId}
        </Link>
      )}
      {why && <span className="text-ink-faint text-sm">{why}</span>}
    </span>
  )
}

const confirmFields = ['acceptFee'] as const
const acceptIt = 'Accept the fee; or go back, and take a lower fee rate or pay more withdrawals together'

type ConfirmProps = {
  wallet: PayoutWallet
  chosen: readonly Row[]
  feeRate: number | undefined
  onClose: () => void
}

/** What the batch pays and spends, as the server works it out, before it is made. */
function ConfirmPayout({ wallet, chosen, feeRate, onClose }: ConfirmProps) {
  const withdrawals = chosen.map(({ _id }) => _id)
  const rate = feeRate === undefined ? {} : { feeRate }
  const query = {
    wallet,
    withdrawals: withdrawals.join(','),
    ...(feeRate === undefined ? {} : { feeRate: String(feeRate) }),
  }
  const { data, isError, error, refetch } = useRead(previewPayout, { query }, { held: true })
  const { asset } = payoutRails[wallet]
  const isHigh = data !== undefined && data.highFee !== null
  const waiting = isError ? (
    <FailedState onRetry={() => void refetch()}>
      {error instanceof Error ? error.message : 'The batch could not be worked out.'}
    </FailedState>
  ) : data ? undefined : (
    <Loading label="Working out the batch" lines={6} />
  )
  return (
    <ActionDialog
      call={newPayout}
      title="Make this batch?"
      description="Its withdrawals are reserved until it is paid or cancelled. You hold its file: sign it with your wallet and send it, nobody else does."
      entries={
        data
          ? [
              ['Withdrawals', data.count],
              ['Amount', <Usd key="amount" value={data.amount} />],
              ['Paid in the coin', <CoinText key="coin" of={{ ...data, asset }} />],
              ['Fixed now', fixedWords(data)],
              ['Network fee', feeWords(data, asset)],
              ['Share of the fee', data.highFee && `${data.highFee} % of what is paid`],
              ['Spends', data.sender === null ? outputs(data.inputs) : null],
              ['Back to the firm', data.change && <CoinText key="change" of={{ ...data.change, asset }} />],
              ['Paid from', data.sender && <GroupedAddress key="sender" address={data.sender} />],
            ]
          : []
      }
      waiting={waiting}
      fields={confirmFields}
      check={({ acceptFee }) => (isHigh && acceptFee !== 'yes' ? faultAt('acceptFee', acceptIt) : undefined)}
      optionalReason="log"
      loading="Making the batch"
      confirm="Make the batch"
      input={() => ({
        body: { wallet, withdrawals, ...rate, ...(isHigh ? { acceptedFee: data!.fee!.amountCrypto } : {}) },
      })}
      shown={made => shownAt(paths.admin.payout(made._id), made.number, false)}
      onClose={onClose}
    >
      {isHigh && (
        <Attestation name="acceptFee">
          The network’s fee is {data?.highFee} % of what is paid. It is to be spent all the same.
        </Attestation>
      )}
    </ActionDialog>
  )
}

type Preview = CallData<typeof previewPayout>

function fixedWords({ fixedNow }: Preview): string | null {
  if (fixedNow === null) return null
  const of = fixedNow.count === 1 ? '1 withdrawal' : `${fixedNow.count} withdrawals`
  return `${of} at $${fixedNow.rate}, ${fixedNow.rateSource}`
}

function feeWords({ fee }: Preview, asset: string): string {
  if (fee === null) return 'Set by your wallet, paid by the firm'
  return `${fee.amountCrypto} ${asset} at ${fee.rate} sat/vB, paid by the firm`
}

function outputs(count: number): string {
  return count === 1 ? '1 output of the firm' : `${count} outputs of the firm`
}
