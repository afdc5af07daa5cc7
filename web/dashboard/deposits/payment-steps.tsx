import type { Deposit } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { ConfirmationBar, confirmationWords } from '#web/components/confirmations.tsx'
import { cx } from '#web/ui/cx.ts'

type Step = { words: string; confirmations?: Deposit['confirmations'] }

const settled: readonly Deposit['stage'][] = ['paid', 'paid_under', 'paid_over', 'paid_late']
const stepped: readonly Deposit['stage'][] = [
  'waiting',
  'seen',
  'confirming',
  'confirmed',
  'underpaid',
  ...settled,
]

/** How many steps are done, and what each one is called now. */
function stepsOf({ stage, watched, investment, missing, confirmations }: Deposit): {
  done: number
  steps: Step[]
} {
  const isPaid = settled.includes(stage)
  if (!watched) {
    const steps = [
      { words: isPaid ? t('Payment received') : t('Waiting for payment') },
      { words: t('Credited') },
    ]
    return { done: isPaid ? 2 : 0, steps }
  }
  // To the balance, each part is credited as it comes.
  const isShort = missing !== null && investment !== null
  const done = isPaid ? 3 : isShort || stage === 'waiting' ? 0 : stage === 'confirmed' ? 2 : 1
  const seen = isShort ? t('Waiting for the rest') : done > 0 ? t('Payment seen') : t('Waiting for payment')
  const confirming =
    done === 1 && confirmations ? { words: confirmationWords(confirmations), confirmations } : undefined
  return {
    done,
    steps: [
      { words: seen },
      confirming ?? { words: done > 1 ? t('Confirmed') : t('Confirmations') },
      { words: done === 2 ? t('Being credited') : t('Credited') },
    ],
  }
}

/** The way of a payment to the balance; none where it has left that way. */
export function PaymentSteps({ deposit }: { deposit: Deposit }) {
  if (!stepped.includes(deposit.stage)) return null
  const { done, steps } = stepsOf(deposit)
  return (
    <ol className="grid max-w-2xl auto-cols-fr grid-flow-col gap-2" aria-label={t('Steps of this payment')}>
      {steps.map(({ words, confirmations }, at) => (
        <li
          key={words}
          aria-current={at === done ? 'step' : undefined}
          className={cx('grid content-start gap-1.5 text-sm tabular-nums', at > done && 'text-ink-faint')}
        >
          {confirmations ? (
            <ConfirmationBar {...confirmations} />
          ) : (
            <span
              aria-hidden="true"
              className={cx(
                'h-1 rounded-full',
                at < done ? 'bg-accent' : at === done ? 'bg-wait' : 'bg-sunken',
              )}
            />
          )}
          <span aria-hidden={confirmations ? true : undefined} className={cx(at === done && 'font-medium')}>
            {words}
            {at < done && <span className="sr-only"> {t('(done)')}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
