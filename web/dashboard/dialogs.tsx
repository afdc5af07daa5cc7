import { lazy } from 'react'

/** The dialogs with the library that makes them: loaded when the first of them opens. Put them into a Suspense. */
export const DepositDialog = lazy(() => import('./deposit-dialog.tsx'))
export const InvestmentDialog = lazy(() => import('./investment-dialog.tsx'))
export const FundDialog = lazy(() => import('./fund-dialog.tsx'))
