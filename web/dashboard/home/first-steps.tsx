import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { me } from '#shared/contract/accounts.ts'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { minimumDepositCents } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { useRootState } from '#web/api/root-state.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { anyMethod } from '#web/components/methods.ts'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { cx } from '#web/ui/cx.ts'
import { Section } from '#web/ui/section.tsx'

/** First steps of a new account, the next one highlighted. */
export function FirstSteps() {
  const { data: user } = useRead(me, {})
  const { email } = useRootState()
  const coins = anyMethod(useSite().depositMethods)
  const verified = user?.emailVerified
  return (
    <Section title={t('First steps')} className="mb-10">
      <ol className="grid max-w-2xl">
        <Step
          number={1}
          title={t('Verify your email address')}
          done={verified}
          action={
            verified === false && <LinkButton to={paths.verify(email)}>{t('Enter the code')}</LinkButton>
          }
        >
          {verified ? t('{email} is verified.', { email }) : t('We sent the code to {email}.', { email })}
        </Step>
        <Step
          number={2}
          title={t('Make a deposit')}
          action={verified && <LinkButton to={paths.dashboard.deposit}>{t('Make a deposit')}</LinkButton>}
        >
          {t('From {minimum}, in {coins}. Your balance shows it once it has arrived.', {
            minimum: localUsdShort(minimumDepositCents),
            coins,
          })}
        </Step>
        <Step number={3} title={t('Choose a plan')}>
          {t('Pay from your balance or with crypto. Anything not invested stays available to withdraw.')}
        </Step>
      </ol>
    </Section>
  )
}

type StepProps = { number: number; title: string; done?: boolean; action?: ReactNode; children: ReactNode }

function Step({ number, title, done = false, action, children }: StepProps) {
  return (
    <li className="flex gap-4 border-rule border-b py-4 first:pt-0 last:border-b-0">
      <span
        aria-hidden="true"
        className={cx(
          'grid size-8 shrink-0 place-items-center rounded-full border text-sm tabular-nums [&_svg]:size-4',
          done
            ? 'border-good text-good'
            : action
              ? 'border-accent text-accent'
              : 'border-edge text-ink-faint',
        )}
      >
        {done ? <Check /> : number}
      </span>
      <div className="flex flex-1 flex-wrap items-center gap-x-6 gap-y-3">
        <div className="flex-1 basis-56">
          <h3 className={cx('font-medium', done && 'text-ink-faint')}>
            {title}
            {done && <span className="sr-only"> {t('(done)')}</span>}
          </h3>
          <p className="text-ink-soft text-sm">{children}</p>
        </div>
        {action}
      </div>
    </li>
  )
}
