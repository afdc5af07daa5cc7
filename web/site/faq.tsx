import { AnchorButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner, Part } from './banner.tsx'
import { Closing } from './closing.tsx'
import { useTexts } from './page-data.ts'
import { Questions, useProductQuestions } from './questions.tsx'

export const meta = pageMeta('Questions and answers', {
  path: paths.faq,
  description:
    'Answers about deposits, targets, earnings, withdrawals and how to check our books, before you invest or write to us.',
})

/** The firm's own questions and answers, then those about the plans. */
export default function FaqPage() {
  const { questions } = useTexts()
  const ofThePlans = useProductQuestions()
  return (
    <>
      <Banner title="Questions and answers" crumb="Questions">
        <p>What people ask before they invest, and before they write to us.</p>
      </Banner>
      {questions.length > 0 && (
        <Part eyebrow="About us and your money" title="What people ask us">
          <Questions questions={questions} />
        </Part>
      )}
      <Part eyebrow="Before you choose" title="About the plans">
        <Questions questions={ofThePlans} />
      </Part>
      <Closing title="Your question isn't here? Ask us">
        <AnchorButton href={paths.contact} size="lg">
          Contact us
        </AnchorButton>
        <a className="prose-link" href={paths.proof}>
          Check our books yourself
        </a>
      </Closing>
    </>
  )
}
