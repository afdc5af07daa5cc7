import type { Running } from '#server/process/serve.ts'
import { startTemporaryProduct } from './temporary-product.ts'

/** All that live mode asks for, of a firm that does not exist. Nobody is behind any of it. */
export const liveSettings = {
  MODE: 'live',
  // No load balancer to wait for.
  DRAIN_SECONDS: '0',
  TOKEN_SECRET: 'only for a product that lives for one test',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'noreply@example.com',
  PAYMENT_ADDRESS_BITCOIN: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  FIRM_PRODUCT_NAME: 'Example Capital',
  FIRM_LEGAL_NAME: 'Example Capital Pty Ltd',
  FIRM_REGISTRATION_NUMBER: 'ACN 000 000 000',
  FIRM_UNREGULATED_STATEMENT: 'Example Capital is not regulated by any financial authority.',
  FIRM_STREET_ADDRESS: '1 Example Street, Sydney NSW 2000, Australia',
  FIRM_SUPPORT_EMAIL: 'support@example.com',
  FIRM_JURISDICTIONS: 'Australia',
  FIRM_RISK_STATEMENT: 'You may lose the money you invest.',
  FIRM_FOUNDED_YEAR: '2019',
  FIRM_ONLINE_SINCE: '2021',
}

/**
 * The built product in live mode, on a database of its own that goes when it stops.
 * @param changes of its settings
 */
export function startLiveProduct(
  kind: string,
  port: number,
  changes: NodeJS.ProcessEnv = {},
): Promise<Running> {
  const publicUrl = { PUBLIC_URL: `http://127.0.0.1:${port}` }
  return startTemporaryProduct(kind, port, { ...liveSettings, ...publicUrl, ...changes })
}
