import { t } from '#shared/i18n/t.ts'
import { useSite } from '#web/frame.ts'
import { Paragraphs } from './paragraphs.tsx'
import { paymentWords } from './payment-words.ts'

export type Question = { title: string; text: string }

/** What people ask about plans, and what the product does, whatever the firm. */
export function useProductQuestions(): Question[] {
  const site = useSite()
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
      text: `You pay ${paymentWords(site)}. We lock a coin's rate for ${site.paymentWindowMinutes} minutes. You withdraw to your own wallet. We never charge a fee or ask for a payment to release a withdrawal.`,
    },
    {
      title: t("If a plan's terms change, does my investment change?"),
      text: t('No. A changed plan gets a new version, and your investment keeps the terms you agreed to.'),
    },
  ]
}

/** Questions that open, without a script. */
export function Questions({ questions }: { questions: readonly Question[] }) {
  return (
    <div className="border-rule border-b">
      {questions.map(({ title, text }) => (
        <details key={title} data-figure="firm" className="disclosure">
          <summary>{title}</summary>
          <Paragraphs text={text} />
        </details>
      ))}
    </div>
  )
}
