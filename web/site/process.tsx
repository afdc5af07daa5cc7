import { t } from '#shared/i18n/t.ts'
import { useSite } from '#web/frame.ts'
import { payableCoins } from './payable-coins.ts'

type Payment = { coins: string | undefined }

const steps = (payment: Payment) => [
  {
    name: t('Create an account'),
    text: t(
      "Name, email, country and phone. We verify your email with a six-digit code. It's free, with no obligation.",
    ),
  },
  {
    name: t('Pick an investment plan'),
    text:
      payment.coins === undefined
        ? t(
            'Every plan states its range, duration and target. Pay from your balance, and see the payment in your statement.',
          )
        : t(
            'Every plan states its range, duration and target. Pay in {coins}, or from your balance, and see the payment in your statement.',
            { coins: payment.coins },
          ),
  },
  {
    name: t('Start earning'),
    text: t(
      'We pay earnings from returns already realised, and each earning names its return. Withdraw your balance to your own wallet.',
    ),
  },
]

/** The journey in three steps (P-05). */
export function Process() {
  const payment = { coins: payableCoins(useSite()) }
  return (
    <ol className="grid md:grid-cols-3">
      {steps(payment).map(({ name, text }, place) => (
        <li
          key={name}
          className="grid grid-cols-[4rem_1fr] content-start gap-x-4 gap-y-3 border-rule border-t py-8 md:grid-cols-1 md:border-s md:px-8 md:pb-2 md:first:border-s-0 md:first:ps-0"
        >
          <span
            aria-hidden="true"
            className="display row-span-2 text-4xl text-accent tabular-nums md:row-span-1 md:mb-8"
          >
            {place + 1}
          </span>
          <h3 className="display text-xl">{name}</h3>
          <p className="text-ink-soft">{text}</p>
        </li>
      ))}
    </ol>
  )
}
