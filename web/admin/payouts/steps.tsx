import { lazy, Suspense, useState } from 'react'
import {
  getPayout,
  type PayoutDetail,
  type PayoutPayment,
  payoutFile,
  signPayout,
} from '#shared/contract/payouts.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { Button } from '#web/ui/button.tsx'
import { downloadWords } from './parts.tsx'
import { mostQrBytes } from './qr-frames.ts'
import { SafeChecks, SafeSteps } from './safe-steps.tsx'
import { SignPayout } from './sign.tsx'

const PsbtCodes = lazy(() => import('./psbt-codes.tsx'))

/** True if the network can still decide about a payment. */
export function isOpen({ status }: Pick<PayoutPayment, 'status'>): boolean {
  return status !== 'final' && status !== 'void'
}

/** What happens next with a batch, and what staff do for it. */
export function NextStep({ batch }: { batch: PayoutDetail }) {
  if (!isOpen(batch)) return <p className="text-ink-soft">{endedWords(batch)}</p>
  const open = batch.payments.filter(isOpen)
  return (
    <div className="grid gap-5">
      {batch.cancelledAt !== null && <Cancelling batch={batch} />}
      {open.some(({ status }) => status !== 'drafted') && <Progress open={open} batch={batch} />}
      {needsSignature(batch, open) && <Signing batch={batch} />}
    </div>
  )
}

function endedWords({ status, purpose, paid, count, cancelReason }: PayoutDetail): string {
  if (purpose === 'sweep') {
    const moved = `Final. We moved the deposits of ${paid} of ${count === 1 ? '1 address' : `${count} addresses`}.`
    const why = cancelReason === null ? '' : ` Cancelled: ${cancelReason}.`
    return paid < count ? `${moved}${why} The rest is free for another batch.` : moved
  }
  if (status === 'final') {
    const rest = paid < count ? ` ${count - paid} of ${count} withdrawals are free for another batch.` : ''
    return `Paid and final.${rest}`
  }
  const why = cancelReason === null ? '' : ` Cancelled: ${cancelReason}.`
  return `This batch paid no withdrawal as planned and never will.${why} Its withdrawals are free for another batch, once any alert is reviewed.`
}

function Cancelling({ batch: { wallet, purpose, payments, cancelReason } }: { batch: PayoutDetail }) {
  const expiry = payments.find(isOpen)?.expiresAt
  return (
    <p className="text-ink-soft">
      Being cancelled: {cancelReason}.{' '}
      {wallet === 'USDT TRC-20' && expiry ? (
        <>
          Do not sign its file any more. It expires at <When at={expiry} />; its{' '}
          {purpose === 'payout' ? 'withdrawals' : 'deposits'} are free a few minutes later.
        </>
      ) : (
        'Sign the new file: its transactions use the same place and pay nobody, so the network takes one or the other. Until one of them is final, the payment can still happen.'
      )}
    </p>
  )
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
  const words = [...new Set(open.flatMap(payment => progressWords(payment, batch) ?? []))]
  return (
    <ul className="grid gap-2 text-ink-soft">
      {words.map(one => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  )
}

function progressWords(
  { usedBy, confirmations, signed, status, waitsForTopUp }: PayoutPayment,
  { network, wallet, bySafe }: PayoutDetail,
) {
  const last = signed.at(-1)
  if (waitsForTopUp && status !== 'drafted') {
    return 'Waits for its top-up: we broadcast the transfer once a block has brought the fee to its address.'
  }
  if (confirmations !== null) {
    return `In a block: ${Math.min(confirmations.have, confirmations.needed)} of ${confirmations.needed} confirmations. Nothing is left to do.`
  }
  if (usedBy !== null) {
    const slow = wallet === 'USDT TRC-20' || bySafe ? '' : ' If it takes too long, raise the fee.'
    return `On ${network}, and in no block yet.${slow}`
  }
  if (bySafe)
    return 'The network no longer shows its transaction. If it does not return, execute it again in Safe.'
  if (last?.refused) return `Our node refused the transaction: ${last.refused}. We try again every minute.`
  if (last?.signatures && last.transactionId === null) {
    return `${last.signatures.have} of ${last.signatures.needed} signatures collected. Add the file that the next person signed.`
  }
  if (status === 'signed') return 'Signed. We broadcast it within a minute.'
  return last?.broadcastAt
    ? 'Broadcast. The network does not show it at present, so we broadcast it again every minute.'
    : 'The network no longer shows its transaction, which may still return. Add the signed file, and we broadcast it again.'
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
    return <p className="text-ink-soft">A person with the role Admin or Finance signs this batch.</p>
  }
  return (
    <>
      {batch.bySafe ? <SafeSteps batch={batch} file={file} /> : <SigningSteps batch={batch} file={file} />}
      <div className="grid justify-items-start gap-2">
        <Button busy={pending} onClick={() => void download()}>
          Download {file.name}
        </Button>
        <p className="wrap-anywhere text-ink-faint text-sm">SHA-256 {file.sha256}</p>
        {batch.wallet === 'Bitcoin (BTC)' && <Codes key={file.name} batch={batch} file={file} />}
      </div>
      {batch.bySafe ? <SafeChecks batch={batch} file={file} /> : <Adding batch={batch} />}
    </>
  )
}

/** The file as QR codes, for devices with a camera. */
function Codes({ batch, file }: { batch: PayoutDetail; file: PayoutDetail['files'][number] }) {
  const [psbt, setPsbt] = useState<Uint8Array>()
  const { refetch } = useRead(getPayout, { params: { id: batch._id } })
  const { run, pending } = useDownload(payoutFile, {
    take: async ({ content }) => setPsbt(new Uint8Array(await content.arrayBuffer())),
    done: name => `${name} shown as QR codes`,
  })
  const show = async () => {
    await run({ params: { id: batch._id }, query: {} })
    await refetch()
  }
  if (file.size > mostQrBytes)
    return <p className="text-ink-soft text-sm">This file is too large for QR codes. Use the download.</p>
  if (psbt === undefined)
    return (
      <Button tone="quiet" busy={pending} onClick={() => void show()}>
        Show as QR codes
      </Button>
    )
  return (
    <Suspense fallback={<span className="sr-only">Loading the QR codes</span>}>
      <PsbtCodes psbt={psbt} name={file.name} />
    </Suspense>
  )
}

function SigningSteps({ batch, file }: { batch: PayoutDetail; file: PayoutDetail['files'][number] }) {
  const expiry = batch.payments.find(isOpen)?.expiresAt
  return (
    <ol className="grid list-decimal gap-2 pl-5 text-ink-soft">
      <li>
        {batch.purpose === 'sweep' && file.purpose === 'payment'
          ? 'Download the file with the transfers'
          : downloadWords[file.purpose]}
        .
      </li>
      <li>
        {signWords(batch)}
        {expiry && (
          <>
            {' '}
            Do it before <When at={expiry} />.
          </>
        )}
      </li>
      <li>
        {batch.purpose === 'payout'
          ? 'Add the signed file below. We compare it with this batch, broadcast it, and mark each withdrawal as paid.'
          : 'Add the signed file below. We compare it with this batch and broadcast it. An address that lacks the fee gets it first, and its transfer follows once a block has that.'}
      </li>
    </ol>
  )
}

/** Takes the signed file back. */
function Adding({ batch }: { batch: PayoutDetail }) {
  return (
    <>
      <SignPayout batch={batch} />
      <p className="text-ink-soft text-sm">
        {batch.wallet === 'Bitcoin (BTC)'
          ? 'If your wallet has broadcast it already, there is nothing to add: we recognise the transaction by the outputs that it spends.'
          : batch.wallet === 'USDT TRC-20'
            ? 'If your wallet has broadcast it already, there is nothing to add: we recognise the transaction by its id.'
            : 'If your wallet has broadcast it already, there is nothing to add: we recognise the transaction by its nonce. A wallet that chooses another nonce pays something else: do not use it for this file.'}
      </p>
    </>
  )
}

function signWords({ wallet, network, purpose }: PayoutDetail): string {
  if (purpose === 'sweep') {
    return `Sign each of its transactions for ${network} unchanged. The file says which address signs each one, with the derivation path of its key. Check on the device that every deposit goes to the payout address.`
  }
  if (wallet === 'Bitcoin (BTC)') {
    return 'Open it in your wallet, compare every address and amount on the device, and sign.'
  }
  return `Sign each of its transactions for ${network} unchanged, and compare every address and amount on the device.`
}
