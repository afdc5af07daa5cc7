import { lazy } from 'react'
import { loadRecordDialog } from './record/open-record.tsx'

const load = {
  record: loadRecordDialog,
  fund: () => import('./deposits/fund-dialog.tsx'),
  review: () => import('./withdrawals/review.tsx'),
  address: () => import('./withdrawals/address-dialog.tsx'),
}

/** The dialogs with the library that makes them: loaded when the first of them opens. Put them into a Suspense. */
export const FundDialog = lazy(load.fund)
export const WithdrawalReview = lazy(load.review)
export const AddressDialog = lazy(load.address)

/** What is shown only when asked for, fetched beforehand: it opens without the server. */
export function preloadDialogs() {
  for (const each of [...Object.values(load), () => import('#web/components/qr-code.tsx')]) {
    // One that cannot be fetched now is fetched when it is needed.
    each().catch(() => {})
  }
}
