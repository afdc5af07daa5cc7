import { expireDeposits } from '#server/payments/expire.ts'
import { cronJob } from './job.ts'

/** Deposits that nobody has paid, every minute. */
export const expireDepositsJob = cronJob('expire_deposits', '* * * * *', async ({ services }) => {
  const expired = await expireDeposits(services)
  if (expired > 0) services.log.info({ expired }, 'deposits expired unpaid')
})
