import type { PayoutAddress } from '#shared/contract/addresses.ts'

/** An open dialog of the address book. */
export type AddressTask = { do: 'add' } | { do: 'rename' | 'remove'; address: PayoutAddress }
