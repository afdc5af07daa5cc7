import { type FirmText, paragraphsOf } from '#shared/firm-texts.ts'
import { t } from '#shared/i18n/t.ts'
import { useFirmMarks } from '#web/components/firm-words.tsx'
import { useSite } from '#web/frame.ts'
import { payableCoins } from './payable-coins.ts'

export type Question = { title: string; text: string }

/** What people ask about plans, and what the product does, whatever the firm. */
export function useProductQuestions(): Question[] {
  const site = useSite()
  const coins = payableCoins(site)
  const minutes = site.paymentWindowMinutes
  return [
    {
      title: t('What happens when a plan ends?'),
      text: t(
        'We close it, and the amount returns to your available balance, unless you asked us to reinvest it. If you owe us a debt from a reversed deposit, the amount repays that first. You can withdraw the rest or invest it again.',
      ),
    },
    {
      title: t('When is an earning credited?'),
      text: t(
        'Once we have recorded a realised return with its evidence, and only up to that return. The earning names the return, so you can check both.',
      ),
    },
    {
      title: t('Can I lose money?'),
      text: t(
        'Yes. A plan’s percentage is a target, not a promise. Invest only what you can afford to lose.',
      ),
    },
    {
      title: t('How do I pay, and how do I withdraw?'),
      text:
        coins === undefined
          ? t(
              "You pay from your balance. We lock a coin's rate for {minutes, plural, other {# minutes}}. You withdraw to your own wallet. We never charge a fee or ask for a payment to release a withdrawal.",
              { minutes },
            )
          : t(
              "You pay in {coins}, or from your balance. We lock a coin's rate for {minutes, plural, other {# minutes}}. You withdraw to your own wallet. We never charge a fee or ask for a payment to release a withdrawal.",
              { coins, minutes },
            ),
    },
    {
      title: t("If a plan's terms change, does my investment change?"),
      text: t('No. A changed plan gets a new version, and your investment keeps the terms you agreed to.'),
    },
  ]
}

type QuestionsProps = {
  questions: readonly Question[]
  /** The firm's text that they are. */
  of?: FirmText
}

/** Questions that open, without a script. */
export function Questions({ questions, of }: QuestionsProps) {
  const marks = useFirmMarks(of)
  return (
    <div className="border-rule border-b">
      {questions.map(({ title, text }) => (
        <details key={title} data-figure="firm" {...marks} className="disclosure">
          <summary>{title}</summary>
          {paragraphsOf(text).map(paragraph => (
            <p key={paragraph} data-figure="firm">
              {paragraph}
            </p>
          ))}
        </details>
      ))}
    </div>
  )
}
