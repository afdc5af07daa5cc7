import type { CallData } from '#shared/contract/define.ts'
import { acceptTerms, ownTerms } from '#shared/contract/policies.ts'
import { languages } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { policyPaths, policyTitles } from '#shared/policies.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Day, When } from '#web/components/when.tsx'
import { marksOf } from '#web/components/written-in.ts'
import { WrittenText } from '#web/components/written-text.tsx'
import { useSite } from '#web/frame.ts'
import { publicPath } from '#web/language.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'

export const meta = pageMeta(msg('Terms'))

type Own = CallData<typeof ownTerms>

/** The firm's policies, and which version of the terms the investor has accepted. */
export default function TermsPage() {
  const { data, isError, refetch } = useRead(ownTerms, {})
  return (
    <>
      <PageHead title={t('Terms')} />
      <div className="grid max-w-3xl gap-12">
        {data?.due && <Due due={data.due} />}
        <Section title={t('What you have accepted')}>
          {data ? (
            <Accepted own={data} />
          ) : isError ? (
            <FailedState onRetry={() => void refetch()}>{t('We could not load your terms.')}</FailedState>
          ) : (
            <Loading label={t('Loading your terms')} lines={3} />
          )}
        </Section>
        <Policies />
      </div>
    </>
  )
}

function Due({
  due: { version, from, changes, language, translation, needed },
}: {
  due: NonNullable<Own['due']>
}) {
  const { run, pending, error } = useMutation(acceptTerms)
  return (
    <Card className="grid gap-4">
      <h2 className="display text-xl">{t('Version {version} of our terms', { version })}</h2>
      <p>
        {needed
          ? tr(
              'In force since {day} (UTC). You can deposit and invest once you have accepted it. You can withdraw your money without accepting it.',
              { day: <Day on={from} /> },
            )
          : tr(
              'In force from {day} (UTC). Please accept it before then if you want to go on depositing and investing.',
              { day: <Day on={from} /> },
            )}
      </p>
      {changes && (
        <div className="grid gap-1">
          <h3 className="font-medium">{t('What changes')}</h3>
          <div {...marksOf(language)}>
            <WrittenText>{changes}</WrittenText>
          </div>
        </div>
      )}
      <p>
        <a className="prose-link" href={publicPath(policyPaths.terms)}>
          {t('Read the terms')}
        </a>
      </p>
      {error && <p className="text-bad text-sm">{error.message}</p>}
      <Button
        className="justify-self-start"
        busy={pending}
        onClick={() => void run({ body: { version, translation } })}
      >
        {t('I accept version {version}', { version })}
      </Button>
    </Card>
  )
}

function Accepted({ own: { accepted, statedAge } }: { own: Own }) {
  return (
    <div className="grid gap-4">
      {accepted.length === 0 ? (
        <EmptyState>{t('You have not accepted any terms.')}</EmptyState>
      ) : (
        <ul className="grid">
          {accepted.map(({ version, language, at }) => (
            <li key={version} className="flex flex-wrap justify-between gap-x-6 border-rule border-b py-2.5">
              <span>
                {t('Terms, version {version} ({language})', { version, language: languages[language].name })}
              </span>
              <When at={at} />
            </li>
          ))}
        </ul>
      )}
      {statedAge !== null && (
        <p className="text-ink-soft text-sm">
          {t('When you registered, you stated that you are at least {statedAge} years old.', { statedAge })}
        </p>
      )}
    </div>
  )
}

function Policies() {
  const { policies } = useSite()
  if (policies.length === 0) return null
  return (
    <Section title={t('Our policies')}>
      <ul className="grid">
        {policies.map(({ kind, version, from }) => (
          <li key={kind} className="flex flex-wrap justify-between gap-x-6 border-rule border-b py-2.5">
            <a className="prose-link" href={publicPath(policyPaths[kind])}>
              {translate(policyTitles[kind])}
            </a>
            <span className="text-ink-soft">
              {tr('Version {version}, since {day}', { version, day: <Day on={from} /> })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
