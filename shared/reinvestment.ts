import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Investment, Reinvestment } from './contract/entities.ts'

/** Why we did not reinvest. */
const reasons: Record<Exclude<Reinvestment, 'requested' | 'done'>, string> = {
  early: msg('We closed it before its ending date, so we did not reinvest it.'),
  debt: msg('Part of it repaid a reversed deposit, so we did not reinvest it.'),
  plan_changed: msg(
    'Its plan is no longer offered on the terms that you accepted, so we did not reinvest it.',
  ),
  terms_not_accepted: msg('You had not accepted our terms, so we did not reinvest it.'),
  identity_refused: msg('We cannot keep you as a customer, so we did not reinvest it.'),
  email_not_verified: msg('Your email address was not verified, so we did not reinvest it.'),
}

/** What happens or happened to the principal that an investor wants to reinvest. */
export function reinvestmentWords({
  reinvestment,
  reinvestedAs,
}: Pick<Investment, 'reinvestment' | 'reinvestedAs'>): string {
  if (reinvestment === null) return t('Your principal returns to your balance.')
  if (reinvestment === 'requested')
    return t('When we close this investment, we request a new one of your principal, as you asked.')
  if (reinvestment === 'done')
    return t('We requested a new investment of your principal: {invoice}.', {
      invoice: reinvestedAs!.invoiceId,
    })
  return translate(reasons[reinvestment])
}
