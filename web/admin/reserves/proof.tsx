import { lazy, Suspense, useState } from 'react'
import { railLabels } from '#shared/coins.ts'
import { publishReserves, type ReserveProof, signReserves } from '#shared/contract/reserves.ts'
import { localUsdJson } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { mostQrBytes } from '#web/admin/payouts/qr-frames.ts'
import { save } from '#web/api/download.ts'
import { useMutation } from '#web/api/mutation.ts'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { Select, Textarea } from '#web/ui/input.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

const PsbtCodes = lazy(() => import('#web/admin/payouts/psbt-codes.tsx'))

const states: Record<ReserveProof['status'], [Tone, string]> = {
  reading: ['wait', msg('Reading balances')],
  failed: ['bad', msg('Failed')],
  open: ['wait', msg('Collecting signatures')],
  expired: ['bad', msg('Message too old')],
  published: ['wait', msg('In the next epoch')],
  sealed: ['good', msg('Published')],
}

/** One message, with the addresses whose keys sign it. */
export function Proof({ proof }: { proof: ReserveProof }) {
  const { status, message, failure, addresses } = proof
  const [tone, words] = states[status]
  const isRead = message !== null
  return (
    <article className="grid grid-cols-1 gap-4">
      <p className="flex flex-wrap items-center gap-3 text-ink-soft text-sm">
        <Badge tone={tone}>{translate(words)}</Badge>
        <span>
          <Facts proof={proof} />
        </span>
      </p>
      {failure !== null && (
        <p className="text-bad">
          {tr('{failure} Start a new proof to try again.', { failure: <bdi>{failure}</bdi> })}
        </p>
      )}
      {message !== null && (
        <pre
          dir="ltr"
          className="wrap-anywhere select-all whitespace-pre-wrap bg-sunken p-4 font-mono text-ink text-xs"
        >
          {message}
        </pre>
      )}
      <Table
        caption={t('Addresses of this proof')}
        columns={isRead ? columns() : columns().slice(0, 1)}
        rows={addresses}
        keyOf={({ address }) => address}
      />
      {status === 'open' && message !== null && <Signing proof={proof} message={message} />}
    </article>
  )
}

/** When it was asked for, its epoch once it is sealed, and its value once it is known. */
function Facts({ proof: { askedAt, sealedEpoch, value } }: { proof: ReserveProof }) {
  const time = <When at={askedAt} />
  if (sealedEpoch === null)
    return value === null ? time : tr('{time}, {amount}', { time, amount: localUsdJson(value) })
  return value === null
    ? tr('{time}, sealed in epoch {epoch}', { time, epoch: sealedEpoch })
    : tr('{time}, sealed in epoch {epoch}, {amount}', {
        time,
        epoch: sealedEpoch,
        amount: localUsdJson(value),
      })
}

type Address = ReserveProof['addresses'][number]

const columns = (): readonly Column<Address>[] => [
  {
    header: t('Address'),
    cell: ({ address, rail }) => (
      <span className="wrap-anywhere">
        <bdi dir="ltr">{address}</bdi> <span className="text-ink-faint text-xs">{railLabels[rail]}</span>
      </span>
    ),
  },
  {
    header: t('Holds', {}, 'an address'),
    cell: ({ holdings }) =>
      holdings.length === 0 ? (
        t('Nothing')
      ) : (
        <bdi dir="ltr">{holdings.map(({ coin, amount }) => `${amount} ${coin}`).join(', ')}</bdi>
      ),
    numeric: true,
  },
  {
    header: t('Signature'),
    cell: ({ isSigned, holdings }) =>
      isSigned ? (
        <Badge tone="good">{t('Valid')}</Badge>
      ) : holdings.length === 0 ? (
        t('Not needed')
      ) : (
        t('Missing', {}, 'a signature')
      ),
  },
]

function Signing({ proof, message }: { proof: ReserveProof; message: string }) {
  const open = proof.addresses.filter(({ isSigned, holdings }) => !isSigned && holdings.length > 0)
  const publish = useMutation(publishReserves)
  const signed = proof.addresses.filter(({ isSigned }) => isSigned).length
  return (
    <div className="grid max-w-3xl gap-6">
      <div className="flex flex-wrap gap-3">
        <CopyButton text={message} label={t('Copy message')} />
        {proof.psbt !== null && (
          <Button tone="quiet" size="sm" onClick={() => savePsbt(proof)}>
            {t('Download PSBT for Bitcoin')}
          </Button>
        )}
      </div>
      {proof.psbt !== null && <Codes psbt={bytesOf(proof.psbt)} name={nameOf(proof)} />}
      {open.length > 0 && <AddSignature id={proof._id} open={open} />}
      {signed > 0 && (
        <div className="grid gap-2">
          <p className="text-ink-soft text-sm">
            {t(
              'This makes {count, plural, one {one address} other {# addresses}} public for good. It cannot be undone.',
              { count: signed },
            )}
          </p>
          <div>
            <Button
              busy={publish.pending}
              onClick={() => void publish.run({ params: { id: proof._id }, body: {} })}
            >
              {t('Publish with the next epoch')}
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

const nameOf = ({ epoch }: ReserveProof) => `reserves-${epoch}.psbt`

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

function savePsbt(proof: ReserveProof): void {
  save({ name: nameOf(proof), content: new Blob([bytesOf(proof.psbt!)]) })
}

/** The PSBT for devices with a camera. */
function Codes({ psbt, name }: { psbt: Uint8Array; name: string }) {
  const [isShown, show] = useState(false)
  // The page is polled, and the same file must not start again.
  const [shown] = useState(psbt)
  if (shown.length > mostQrBytes)
    return (
      <p className="text-ink-soft text-sm">{t('The PSBT is too large for QR codes. Use the download.')}</p>
    )
  if (!isShown)
    return (
      <div>
        <Button tone="quiet" size="sm" onClick={() => show(true)}>
          {t('Show as QR codes')}
        </Button>
      </div>
    )
  return (
    <Suspense fallback={<span className="sr-only">{t('Loading the QR codes')}</span>}>
      <PsbtCodes
        psbt={shown}
        name={name}
        then={t(
          'Then enter below, as the signature, the finalised PSBT that your wallet’s program gives (such as Sparrow), in base64.',
        )}
      />
    </Suspense>
  )
}

function AddSignature({ id, open }: { id: string; open: readonly Address[] }) {
  const [done, setDone] = useState(0)
  const { run, pending, error } = useMutation(signReserves, {
    loading: t('Checking the signature'),
    onSuccess: () => setDone(done + 1),
  })
  return (
    <Form
      key={done}
      fields={['address', 'signature']}
      check={values => missing(values, ['signature'], t('Enter the signature'))}
      onSubmit={body => void run({ params: { id }, body })}
      pending={pending}
      error={error}
    >
      <Field name="address" label={t('Address')}>
        <Select>
          {open.map(({ address }) => (
            <option key={address} value={address}>
              {address}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        name="signature"
        label={t('Signature')}
        hint={t(
          'As your wallet gives it: BIP-322 or the signed PSBT in base64 for Bitcoin, 0x… for Ethereum and TRON.',
        )}
      >
        <Textarea dir="ltr" rows={3} spellCheck={false} autoComplete="off" className="font-mono text-sm" />
      </Field>
      <FormRefusal />
      <div>
        <SubmitButton tone="quiet">{t('Check signature')}</SubmitButton>
      </div>
    </Form>
  )
}
