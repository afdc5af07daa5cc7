import { addressKey } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { listOwnAddresses, type PayoutAddress } from '#shared/contract/addresses.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'

/** All addresses that the investor has saved; undefined until they are loaded. */
export function useAddressBook(): readonly PayoutAddress[] | undefined {
  return useList(listOwnAddresses, { limit: maximumPageLimit }).rows
}

type Destination = { wallet: WithdrawalWallet; address: string }

/** The saved address that is this one, also if it is spelt differently. */
export function entryOf(
  book: readonly PayoutAddress[],
  { wallet, address }: Destination,
): PayoutAddress | undefined {
  return book.find(of => of.wallet === wallet && addressKey(of.address) === addressKey(address))
}

/** Says that an address is new, or from when it can be used (D-30). */
export function Novelty(destination: Destination) {
  const book = useAddressBook()
  const { addressWaitHours: hours } = useSite()
  if (!book) return null
  const entry = entryOf(book, destination)
  if (entry === undefined) {
    return (
      <p className="text-ink-soft text-sm">
        {t('New address. We may ask for your password.')}
        {hours > 0 &&
          ` ${t('You can use it {hours, plural, one {# hour} other {# hours}} later.', { hours })}`}
      </p>
    )
  }
  if (entry.usableFrom === null || Date.parse(entry.usableFrom) <= Date.now()) return null
  return (
    <p className="text-sm text-wait">
      {tr('You can use it from {time}.', { time: <When at={entry.usableFrom} /> })}
    </p>
  )
}
