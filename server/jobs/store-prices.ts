import { feedsOf, storeReadings } from '#server/prices/feeds.ts'
import { cronJob } from './job.ts'

/** The prices of this minute. A reading is good for five, so a missed minute shows nowhere. */
export const storePricesJob = cronJob('store_prices', '* * * * *', async ({ services }) => {
  await storeReadings(services, feedsOf(services.config), services.clock.now())
})
