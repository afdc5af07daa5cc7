import { Link } from 'react-router'
import { getSettings } from '#shared/contract/settings.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'

/** Explains that a change needs a second admin. */
export function TooFew() {
  const { data } = useRead(getSettings, {})
  if (!data || (data.admins > 1 && data.deciders > 1)) return null
  const { largeWithdrawal, largeReturn, earningsSecondApproval } = data.values
  return (
    <section aria-label={t('Too few admins')} className="rounded-md border border-rule bg-wait-soft p-5">
      <p className="font-medium">{t('You are the only admin.')}</p>
      <p className="mt-1">{t('Until there is a second one:')}</p>
      <ul className="mt-2 list-disc ps-5">
        <li>
          {t(
            'settings and the look cannot be changed, lost two-factor access cannot be reset, and programs cannot be connected',
          )}
        </li>
        {data.deciders < 2 && (
          <li>
            {earningsSecondApproval
              ? tr('withdrawals above {amount} in 24 hours cannot be approved, nor can earnings', {
                  amount: <Usd value={largeWithdrawal} />,
                })
              : tr('withdrawals above {amount} in 24 hours cannot be approved', {
                  amount: <Usd value={largeWithdrawal} />,
                })}
          </li>
        )}
        {data.deciders < 2 && (
          <li>
            {tr('returns above {amount} in 24 hours cannot be recorded, and no return can be voided', {
              amount: <Usd value={largeReturn} />,
            })}
          </li>
        )}
        {data.deciders < 2 && (
          <li>{t('withdrawals that you approved can be paid in payout batches only, not marked as paid')}</li>
        )}
        {data.deciders < 2 && (
          <li>{t('no one else reviews your actions. They are kept in the audit log.')}</li>
        )}
      </ul>
      <p className="mt-3">
        {tr(
          '<link>Invite a second admin</link>. If there was one before, only the operator can create another.',
          {
            link: words => (
              <Link className="prose-link" to={consolePaths.staff}>
                {words}
              </Link>
            ),
          },
        )}
      </p>
    </section>
  )
}
