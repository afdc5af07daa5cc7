import type { PayoutAddress } from '#shared/contract/addresses.ts'

/** What the investor does with the address book. */
export type AddressTask = { do: 'add' } | { do: 'rename' | 'remove'; address: PayoutAddress }
