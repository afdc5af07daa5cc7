import { lazy } from 'react'
import { loadRecordDialog } from './record/open-record.tsx'

const load = {
  record: loadRecordDialog,
  fund: () => import('./deposits/fund-dialog.tsx'),
  review: () => import('./withdrawals/review.tsx'),
  address: () => import('./withdrawals/address-dialog.tsx'),
  // No dialog, but its page loads it lazily.
  qrCode: () => import('#web/components/qr-code.tsx'),
}

/** Dialogs, loaded with their library when first opened. Wrap them in a Suspense. */
export const FundDialog = lazy(load.fund)
export const WithdrawalReview = lazy(load.review)
export const AddressDialog = lazy(load.address)

/** Preloads dialogs, so that they open without the server. */
export function preloadDialogs() {
  for (const each of Object.values(load)) {
    // A failure is retried when the dialog opens.
    each().catch(() => {})
  }
}
