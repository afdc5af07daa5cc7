import { addressError, pastedAddress } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { newAddress, type PayoutAddress, removeAddress, renameAddress } from '#shared/contract/addresses.ts'
import { t } from '#shared/i18n/t.ts'
import { longestAddressLabel } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { useSite } from '#web/frame.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import type { AddressTask } from './address-task.ts'

type TaskProps = {
  onClose: () => void
  /** Where the focus goes after the address and its button are removed. */
  afterRemoval: () => HTMLElement | undefined
}

export default function AddressDialog({ task, ...rest }: TaskProps & { task: AddressTask }) {
  if (task.do === 'add') return <Add {...rest} />
  if (task.do === 'rename') return <Rename address={task.address} {...rest} />
  return <Remove address={task.address} {...rest} />
}

const addFields = ['wallet', 'address', 'label'] as const
type Values = Record<(typeof addFields)[number], string>

function newAddressError(values: Values, testNetworks: boolean): ValidationError | undefined {
  const message = addressError(values.wallet as WithdrawalWallet, pastedAddress(values.address), {
    testNetworks,
  })
  return (
    missing(values, ['address'], t('Wallet address is required'), t('Wallet address is required')) ??
    (message === undefined ? undefined : { message, fields: { address: message } })
  )
}

function Add({ onClose }: TaskProps) {
  const { mode, withdrawalWallets } = useSite()
  const testNetworks = mode === 'demo'
  const { run, pending, error } = useMutation(newAddress, { onSuccess: onClose })
  return (
    <Dialog open onClose={onClose} title={t('Add an address')}>
      <Form
        fields={addFields}
        check={values => newAddressError(values, testNetworks)}
        onSubmit={({ wallet, address, label }) =>
          run({
            body: {
              wallet: wallet as WithdrawalWallet,
              address: pastedAddress(address),
              label: label.trim() || null,
            },
          })
        }
        pending={pending}
        error={error}
      >
        <Field name="wallet" label={t('Wallet')}>
          <Select>
            {withdrawalWallets.map(name => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field name="address" label={t('Wallet address')}>
          <Input dir="ltr" autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Field>
        <LabelField />
        <DialogFormEnd onCancel={onClose}>{t('Add address')}</DialogFormEnd>
      </Form>
    </Dialog>
  )
}

function LabelField({ label }: { label?: string | null }) {
  return (
    <Field name="label" label={t('Name')} hint={t("Your name for it, such as 'Hardware wallet'")} optional>
      <Input autoComplete="off" maxLength={longestAddressLabel} defaultValue={label ?? ''} />
    </Field>
  )
}

type OfAddress = TaskProps & { address: PayoutAddress }

function Rename({ address, onClose }: OfAddress) {
  const { run, pending, error } = useMutation(renameAddress, { onSuccess: onClose })
  return (
    <Dialog open onClose={onClose} title={t('Rename this address')}>
      <Form
        fields={['label']}
        onSubmit={({ label }) => run({ params: { id: address._id }, body: { label: label.trim() || null } })}
        pending={pending}
        error={error}
      >
        <Which address={address} />
        <LabelField label={address.label} />
        <DialogFormEnd onCancel={onClose}>{t('Save name')}</DialogFormEnd>
      </Form>
    </Dialog>
  )
}

function Remove({ address, onClose, afterRemoval }: OfAddress) {
  return (
    <ConfirmCall
      call={removeAddress}
      input={{ params: { id: address._id } }}
      title={t('Remove this address?')}
      confirm={t('Remove address')}
      tone="danger"
      onClose={onClose}
      focusTo={afterRemoval}
    >
      <div className="grid gap-4">
        <Which address={address} />
        <p>{t('Earlier requests are still paid to it. If you use it again, it counts as a new address.')}</p>
      </div>
    </ConfirmCall>
  )
}

function Which({ address: { wallet, address } }: { address: PayoutAddress }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">{wallet}</p>
      <p className="wrap-anywhere rounded-sm bg-sunken px-3 py-2.5">
        <GroupedAddress address={address} />
      </p>
    </div>
  )
}
