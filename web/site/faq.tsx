import { msg, t } from '#shared/i18n/t.ts'
import { AnchorButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner, Part } from './banner.tsx'
import { Closing } from './closing.tsx'
import { InEnglish } from './in-english.tsx'
import { useTexts } from './page-data.ts'
import { Questions, useProductQuestions } from './questions.tsx'

export const meta = pageMeta(msg('Questions and answers'), {
  path: paths.faq,
  description: msg(
    'Answers about deposits, targets, earnings, withdrawals and how to check our books, before you invest or write to us.',
  ),
})

/** The firm's own questions and answers, then those about the plans. */
export default function FaqPage() {
  const { questions } = useTexts()
  const ofThePlans = useProductQuestions()
  return (
    <>
      <Banner title={t('Questions and answers')} crumb={t('Questions')}>
        <p>{t('What people ask before they invest, and before they write to us.')}</p>
      </Banner>
      {questions.length > 0 && (
        <Part eyebrow={t('About us and your money')} title={t('What people ask us')}>
          <InEnglish of="questions" />
          <Questions of="questions" questions={questions} />
        </Part>
      )}
      <Part eyebrow={t('Before you choose')} title={t('About the plans')}>
        <Questions questions={ofThePlans} />
      </Part>
      <Closing title={t("Your question isn't here? Ask us")}>
        <AnchorButton href={paths.contact} size="lg">
          {t('Contact us')}
        </AnchorButton>
        <a className="prose-link" href={paths.proof}>
          {t('Check our books yourself')}
        </a>
      </Closing>
    </>
  )
}
