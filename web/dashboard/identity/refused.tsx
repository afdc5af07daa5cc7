import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Section } from '#web/ui/section.tsx'

/** A form that brings money in. A person whom we do not keep as a customer reads why there is none, and the way on. */
export function CustomersOnly({ children }: { children: ReactNode }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  return own?.refused ? <Refused refused={own.refused} /> : children
}

export function Refused({ refused: { reason, at } }: { refused: NonNullable<OwnIdentity['refused']> }) {
  return (
    <Section title={t('We cannot keep you as a customer')}>
      <div className="grid max-w-prose gap-4">
        <p>
          {tr('We decided this on {day}. Reason: {reason}', {
            day: <When at={at} date />,
            reason: <bdi className="wrap-anywhere">{reason}</bdi>,
          })}
        </p>
        <p>
          {tr(
            'All of your money is yours. You can <link>withdraw it</link> without a limit. Pending investments were declined. Active ones go on to their ending date, and then you can withdraw their principal. You can no longer deposit or invest.',
            {
              link: words => (
                <Link className="prose-link" to={paths.dashboard.withdrawals}>
                  {words}
                </Link>
              ),
            },
          )}
        </p>
        <p>
          {tr('If you do not agree, <link>write to us</link>. Another person will review it.', {
            link: words => (
              <Link className="prose-link" to={paths.dashboard.ask()}>
                {words}
              </Link>
            ),
          })}
        </p>
      </div>
    </Section>
  )
}
