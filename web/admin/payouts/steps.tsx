import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import {
  getPayout,
  type PayoutDetail,
  type PayoutPayment,
  payoutFile,
  signPayout,
} from '#shared/contract/payouts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { downloadWords } from './parts.tsx'
import { mostQrBytes } from './qr-frames.ts'
import { SafeChecks, SafeSteps } from './safe-steps.tsx'
import { SignPayout } from './sign.tsx'

type PayoutFileEntry = PayoutDetail['files'][number]

const PsbtCodes = lazy(() => import('./psbt-codes.tsx'))

/** True if the network can still decide about a payment. */
export function isOpen({ status }: Pick<PayoutPayment, 'status'>): boolean {
  return status !== 'final' && status !== 'void'
}

/** What happens next with a batch, and what staff do for it. */
export function NextStep({ batch }: { batch: PayoutDetail }) {
  const open = batch.payments.filter(isOpen)
  const lost = lostPayments(batch)
  if (!isOpen(batch)) {
    return (
      <div className="grid gap-5">
        <p className="text-ink-soft">{endedWords(batch)}</p>
        {lost > 0 && <Lost batch={batch} count={lost} isSigning={false} />}
      </div>
    )
  }
  return (
    <div className="grid gap-5">
      {batch.alerts > 0 && <p className="text-bad">{alertStep(batch)}</p>}
      {batch.cancelledAt !== null && <Cancelling batch={batch} />}
      {open.some(({ status }) => status !== 'drafted') && <Progress open={open} batch={batch} />}
      {lost > 0 && <Lost batch={batch} count={lost} isSigning={needsSignature(batch, open)} />}
      {needsSignature(batch, open) && <Signing batch={batch} />}
    </div>
  )
}

/** Payments that a reorg dropped after they were final, and that we cannot broadcast again: staff sent them themselves. */
function lostPayments({ payments, items, moves, bySafe }: PayoutDetail): number {
  if (bySafe) return 0
  const paid = [...items, ...moves].filter(({ state }) => state === 'paid')
  return payments.filter(({ position, status, usedBy, signed }) => {
    const ids = paid.flatMap(one => (one.payment === position ? one.transactionId : []))
    return (
      status === 'final' && usedBy === null && !signed.some(one => ids.includes(one.transactionId ?? null))
    )
  }).length
}

type LostProps = { batch: PayoutDetail; count: number; isSigning: boolean }

function Lost({ batch, count, isSigning }: LostProps) {
  return (
    <div className="grid gap-5">
      <p className="text-bad">
        {t(
          '{count, plural, one {A reorg removed a final transaction that you sent with another program. Add the same signed transaction below, and we broadcast it again. Later payments from this wallet may wait for it.} other {A reorg removed # final transactions that you sent with another program. Add the same signed transactions below, and we broadcast them again. Later payments from this wallet may wait for them.}}',
          { count },
        )}
      </p>
      {!isSigning && mayCall(signPayout) && <SignPayout batch={batch} />}
    </div>
  )
}

/** What a person does about alerts while other payments of the batch are still open. */
function alertStep({ alerts, purpose }: PayoutDetail): string {
  return purpose === 'payout'
    ? t(
        '{alerts, plural, one {# withdrawal has an alert} other {# withdrawals have an alert}}. Read below what happened, find out who signed that transaction, then press Mark reviewed. The rest of this batch goes on.',
        { alerts },
      )
    : t(
        '{alerts, plural, one {# transfer has an alert} other {# transfers have an alert}}. Read below what happened, find out who signed that transaction, then press Mark reviewed. The rest of this batch goes on.',
        { alerts },
      )
}

function endedWords({ status, purpose, paid, count, alerts, cancelReason }: PayoutDetail): string {
  const why = cancelReason === null ? [] : [t('Cancelled: {reason}.', { reason: cancelReason })]
  if (purpose === 'sweep') {
    const moved = t(
      'Final. We moved the deposits of {paid, number} of {count, plural, one {# address} other {# addresses}}.',
      { paid, count },
    )
    return paid < count ? [moved, ...why, t('The rest is free for another batch.')].join(' ') : moved
  }
  if (status === 'final') {
    const final = t('Paid and final.')
    return paid < count ? `${final} ${unpaidWords(count - paid, alerts > 0)}` : final
  }
  const unpaid = t('This batch paid no withdrawal as planned and never will.')
  return [unpaid, ...why, unpaidWords(count, alerts > 0)].join(' ')
}

function unpaidWords(count: number, isAlerted: boolean): string {
  return isAlerted
    ? t(
        '{count, plural, one {# withdrawal is} other {# withdrawals are}} free for another batch once you have read the alert below and marked it as reviewed.',
        { count },
      )
    : t('{count, plural, one {# withdrawal is} other {# withdrawals are}} free for another batch.', { count })
}

function Cancelling({ batch }: { batch: PayoutDetail }) {
  const { wallet, payments, cancelReason } = batch
  const open = payments.filter(isOpen)
  const expiry = open[0]?.expiresAt
  return (
    <p className="text-ink-soft">
      {tr('Being cancelled: {reason}.', { reason: <bdi>{cancelReason}</bdi> })}{' '}
      {wallet === 'USDT TRC-20' && expiry ? (
        <Expiring purpose={batch.purpose} expiry={expiry} />
      ) : (
        <>
          {needsSignature(batch, open) && `${t('Sign the new file.')} `}
          {wallet === 'Bitcoin (BTC)'
            ? t(
                'The cancelling transactions spend the same outputs and pay nobody, so the network takes either them or the payments. Until one is final, the payments can still happen.',
              )
            : t(
                'The cancelling transactions use the same nonces and pay nobody, so the network takes either them or the payments. Until one is final, the payments can still happen.',
              )}
        </>
      )}
    </p>
  )
}

function Expiring({ purpose, expiry }: { purpose: PayoutDetail['purpose']; expiry: string }) {
  const time = <When at={expiry} />
  return purpose === 'payout'
    ? tr(
        'Do not sign its file any more. It expires at {time}; its withdrawals are free a few minutes later.',
        { time },
      )
    : tr('Do not sign its file any more. It expires at {time}; its deposits are free a few minutes later.', {
        time,
      })
}

/** True if a payment has no signature for its newest file. */
function needsSignature(
  { files, cancelledAt, wallet }: PayoutDetail,
  open: readonly PayoutPayment[],
): boolean {
  if (cancelledAt !== null && wallet === 'USDT TRC-20') return false
  const latest = files.at(-1)!.version
  const isUnsigned = ({ signed, confirmations }: PayoutPayment) =>
    confirmations === null &&
    !signed.some(({ version, transactionId }) => version === latest && transactionId)
  // What another wallet has broadcast needs nothing, unless a newer file is to replace it.
  return open.some(one => isUnsigned(one) && (one.usedBy === null || latest > 1))
}

function Progress({ open, batch }: { open: readonly PayoutPayment[]; batch: PayoutDetail }) {
  const groups = Map.groupBy(open, payment => progressWords(payment, batch))
  const earlier = new Map(open.flatMap(({ waitsFor }) => (waitsFor ? [[waitsFor.nonce, waitsFor]] : [])))
  return (
    <ul className="grid gap-2 text-ink-soft">
      {[...groups].map(([words, { length }]) => (
        <li key={words}>
          {length < open.length
            ? t('{count, number} of {total, number}: {status}', {
                count: length,
                total: open.length,
                status: words,
              })
            : words}
        </li>
      ))}
      {open.every(({ confirmations }) => confirmations !== null) && <li>{t('Nothing is left to do.')}</li>}
      {[...earlier].map(([nonce, first]) => (
        <li key={nonce}>
          <Earlier nonce={nonce} first={first} batch={batch} />
        </li>
      ))}
    </ul>
  )
}

type EarlierProps = {
  nonce: number
  first: NonNullable<PayoutPayment['waitsFor']>
  batch: PayoutDetail
}

/** What comes before the transactions of a batch. */
function Earlier({ nonce, first, batch: { _id, network } }: EarlierProps) {
  if (first.batch === _id) {
    return t(
      '{network} takes the transactions of an address in the order of their nonces. Nonce {nonce} comes first: sign that transaction of this batch too.',
      { network, nonce },
    )
  }
  const batch = (
    <Link className="prose-link whitespace-nowrap" to={consolePaths.payout(first.batch)}>
      {first.number}
    </Link>
  )
  return tr(
    '{network} takes the transactions of an address in the order of their nonces. Nonce {nonce} comes first: sign or cancel batch {batch}.',
    { network, nonce, batch },
  )
}

function progressWords(
  { usedBy, confirmations, signed, status, waitsForTopUp, waitsFor }: PayoutPayment,
  { network, wallet, bySafe, files }: PayoutDetail,
): string {
  const last = signed.at(-1)
  if (waitsForTopUp && status !== 'drafted') {
    return t(
      'Waits for its top-up: we broadcast the transfer once a block has brought the fee to its address.',
    )
  }
  if (confirmations !== null) {
    const { have, needed } = confirmations
    return t('In a block: {have} of {needed} confirmations.', { have: Math.min(have, needed), needed })
  }
  if (usedBy !== null) {
    const isRaised = files.at(-1)!.purpose === 'higher_fee' && last?.version !== files.at(-1)!.version
    if (isRaised) {
      return t(
        'On {network} with the lower fee, and in no block yet. Sign the file with the higher fee: the network takes one of the two.',
        { network },
      )
    }
    const seen = t('On {network}, and in no block yet.', { network })
    return wallet === 'USDT TRC-20' || bySafe ? seen : `${seen} ${slowWords(wallet)}`
  }
  if (bySafe)
    return t('The network no longer shows its transaction. If it does not return, execute it again in Safe.')
  if (last?.refused) {
    return t('Our node refused the transaction: {reason}. We try again every minute.', {
      reason: last.refused,
    })
  }
  if (last?.signatures && last.transactionId === null) {
    const { have, needed } = last.signatures
    return t('{have} of {needed} signatures collected. Add the file that the next person signed.', {
      have,
      needed,
    })
  }
  if (status === 'drafted') return t('Not signed yet.')
  if (waitsFor !== null) return t('Signed, and waits for an earlier transaction.')
  if (status === 'signed') return t('Signed. We broadcast it within a minute.')
  return last?.broadcastAt
    ? t('Broadcast. The network does not show it at present, so we broadcast it again every minute.')
    : t(
        'The network no longer shows its transaction, which may still return. Add the signed file, and we broadcast it again.',
      )
}

/** Longer than a transaction that pays the usual fee waits for a block. */
function slowWords(wallet: PayoutDetail['wallet']): string {
  return wallet === 'Bitcoin (BTC)'
    ? t('If no block has it within an hour, raise the fee.')
    : t('If no block has it within a few minutes, raise the fee.')
}

function Signing({ batch }: { batch: PayoutDetail }) {
  const { run, pending } = useDownload(payoutFile)
  const { refetch } = useRead(getPayout, { params: { id: batch._id } })
  const file = batch.files.at(-1)!
  const download = async () => {
    await run({ params: { id: batch._id }, query: {} })
    // From now on, only the network can cancel.
    await refetch()
  }
  if (!mayCall(signPayout)) {
    return <p className="text-ink-soft">{t('A person with the role Admin or Finance signs this batch.')}</p>
  }
  return (
    <>
      {batch.bySafe ? <SafeSteps batch={batch} file={file} /> : <SigningSteps batch={batch} file={file} />}
      <div className="grid justify-items-start gap-2">
        <Button busy={pending} onClick={() => void download()}>
          {tr('Download {name}', { name: <bdi dir="ltr">{file.name}</bdi> })}
        </Button>
        <p className="wrap-anywhere mb-1 text-ink-faint text-sm">
          {tr('To see that it arrived unchanged, compare its checksum: SHA-256 {sha256}', {
            sha256: <bdi dir="ltr">{file.sha256}</bdi>,
          })}
        </p>
        {batch.wallet === 'Bitcoin (BTC)' && <Codes key={file.name} batch={batch} file={file} />}
      </div>
      {batch.bySafe ? <SafeChecks batch={batch} file={file} /> : <Adding batch={batch} />}
    </>
  )
}

/** The file as QR codes, for devices with a camera. */
function Codes({ batch, file }: { batch: PayoutDetail; file: PayoutFileEntry }) {
  const [psbt, setPsbt] = useState<Uint8Array>()
  const { refetch } = useRead(getPayout, { params: { id: batch._id } })
  const { run, pending } = useDownload(payoutFile, {
    take: async ({ content }) => setPsbt(new Uint8Array(await content.arrayBuffer())),
    done: name => t('{name} shown as QR codes', { name }),
  })
  const show = async () => {
    await run({ params: { id: batch._id }, query: {} })
    await refetch()
  }
  if (file.size > mostQrBytes)
    return (
      <p className="text-ink-soft text-sm">{t('This file is too large for QR codes. Use the download.')}</p>
    )
  if (psbt === undefined)
    return (
      <Button tone="quiet" busy={pending} onClick={() => void show()}>
        {t('Show as QR codes')}
      </Button>
    )
  return (
    <Suspense fallback={<span className="sr-only">{t('Loading the QR codes')}</span>}>
      <PsbtCodes
        psbt={psbt}
        name={file.name}
        then={t(
          'Then add the signed file below: from the device’s memory card, or from the program that reads its codes (such as Sparrow).',
        )}
      />
    </Suspense>
  )
}

function SigningSteps({ batch, file }: { batch: PayoutDetail; file: PayoutFileEntry }) {
  const expiry = batch.payments.find(isOpen)?.expiresAt
  return (
    <ol className="grid list-decimal gap-2 ps-5 text-ink-soft">
      <li>
        {batch.purpose === 'sweep' && file.purpose === 'payment'
          ? t('Download the file with the transfers.')
          : translate(downloadWords[file.purpose])}
      </li>
      <li>
        {signWords(batch, file)}
        {expiry && <> {tr('Do it before {when}.', { when: <When at={expiry} /> })}</>}
      </li>
      <li>{addWords(batch, file)}</li>
    </ol>
  )
}

function addWords({ purpose }: PayoutDetail, file: PayoutFileEntry): string {
  if (file.purpose === 'cancellation') {
    return purpose === 'payout'
      ? t(
          'Add the signed file below. We compare it with this batch and broadcast it. Once it is final, the withdrawals are free for another batch.',
        )
      : t(
          'Add the signed file below. We compare it with this batch and broadcast it. Once it is final, the deposits are free for another batch.',
        )
  }
  return purpose === 'payout'
    ? t(
        'Add the signed file below. We compare it with this batch, broadcast it, and mark each withdrawal as paid.',
      )
    : t(
        'Add the signed file below. We compare it with this batch and broadcast it. An address that lacks the fee gets it first, and its transfer follows once a block has that.',
      )
}

/** Takes the signed file back. */
function Adding({ batch }: { batch: PayoutDetail }) {
  return (
    <>
      <SignPayout batch={batch} />
      <p className="text-ink-soft text-sm">
        {batch.wallet === 'Bitcoin (BTC)'
          ? t('If your wallet has broadcast it already, add nothing: we find it on the network.')
          : batch.wallet === 'USDT TRC-20'
            ? t('If your wallet has broadcast it already, add nothing: we find it on the network by its id.')
            : t(
                'If your wallet has broadcast it already, add nothing: we find it on the network by its nonce. Do not use a wallet that chooses another nonce: that would be another payment.',
              )}
      </p>
    </>
  )
}

function signWords({ wallet, network, purpose }: PayoutDetail, file: PayoutFileEntry): string {
  const isCancelling = file.purpose === 'cancellation'
  if (isCancelling && wallet === 'Bitcoin (BTC)') {
    return t(
      'Open it in your wallet. Check on the device that everything goes back to your own wallet, and sign.',
    )
  }
  if (purpose === 'sweep') {
    return isCancelling
      ? t(
          'Sign each of its transactions for {network} unchanged. The file says which address signs each one, with the derivation path of its key. Check on the device that no deposit leaves its address.',
          { network },
        )
      : t(
          'Sign each of its transactions for {network} unchanged. The file says which address signs each one, with the derivation path of its key. Check on the device that every deposit goes to the payout address.',
          { network },
        )
  }
  if (wallet === 'Bitcoin (BTC)') {
    return t('Open it in your wallet, compare every address and amount on the device, and sign.')
  }
  return isCancelling
    ? t(
        'Sign each of its transactions for {network} unchanged. Check on the device that each one sends 0 to its own address.',
        { network },
      )
    : t(
        'Sign each of its transactions for {network} unchanged. Compare every address and amount on the device.',
        { network },
      )
}
