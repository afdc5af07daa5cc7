import type { CallData } from '#shared/contract/define.ts'
import { getPolicy, type PolicyVersion } from '#shared/contract/policies.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type PolicyKind, policyPaths, policyTitles } from '#shared/policies.ts'
import { ErrorPage } from '#web/components/error-page.tsx'
import { Markdown } from '#web/components/markdown.tsx'
import { pageMeta } from '#web/meta.ts'
import { read, refusalOf } from '#web/server/host.ts'
import { tr } from '#web/tr.ts'
import { Banner } from './banner.tsx'
import { InEnglish } from './in-english.tsx'
import type { Loaded, SitePage, Visit } from './page-data.ts'
import { usePageData } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'
import { utcDay } from './utc.ts'

type Versions = CallData<typeof getPolicy>

const descriptions: Record<PolicyKind, string> = {
  terms: msg(
    'The terms under which we take your money, invest it and pay it out, with every change since the first version.',
  ),
  privacy: msg('Which data we keep about you, why, for how long, who sees it, and what you can ask of us.'),
  risk: msg('How you can lose money with our plans, and what our percentages do not promise.'),
  cookies: msg('What this website stores in your browser, and why.'),
  complaints: msg('How to complain, what we do then, by when we answer, and whom you can turn to after us.'),
}

/** The page of one of the firm's policies: the version in force, upcoming and earlier ones. */
export function policyPage(kind: PolicyKind): SitePage {
  const title = policyTitles[kind]
  return {
    meta: pageMeta(title, { path: policyPaths[kind], description: descriptions[kind] }),
    load: visit => loadVersions(visit, kind),
    default: () => <Policy kind={kind} title={translate(title)} />,
  }
}

async function loadVersions({ host }: Visit, kind: PolicyKind): Promise<Loaded<Versions>> {
  try {
    return { data: await read(host, getPolicy, { params: { kind } }) }
  } catch (error) {
    if (refusalOf(error)?.status === 404) return { status: 404 }
    throw error
  }
}

function Policy({ kind, title }: { kind: PolicyKind; title: string }) {
  const versions = usePageData<Versions>()
  if (!versions) return <ErrorPage status={404} />
  const current = versions.find(({ status }) => status === 'current')
  const upcoming = versions.filter(({ status }) => status === 'upcoming')
  const past = versions.filter(({ status }) => status === 'past')
  return (
    <>
      <Banner title={title} crumb={title}>
        {current && (
          <p>
            {t('Version {version}, in force since {from} (UTC).', {
              version: current.version,
              from: utcDay(current.from),
            })}
          </p>
        )}
      </Banner>
      <div className="page grid gap-10 py-14 lg:py-20">
        {upcoming.map(version => (
          <Upcoming key={version.version} kind={kind} version={version} />
        ))}
        {current && <Text kind={kind} version={current} />}
        {past.length > 0 && <Past kind={kind} versions={past} />}
      </div>
    </>
  )
}

type TextProps = { kind: PolicyKind; version: PolicyVersion }

/** Says that the text is a translation and leads to its original, or why it is in English. */
function Text({ kind, version: { language, text, publishedAt } }: TextProps) {
  return (
    <div>
      {language === sourceLanguage ? (
        <InEnglish />
      ) : (
        <p className="mb-6 text-ink-soft">
          {tr('This is a translation, published on {day} (UTC). <a>Read the original in English</a>', {
            day: utcDay(publishedAt),
            a: words => (
              <a className="prose-link" href={policyPaths[kind]} hrefLang={sourceLanguage}>
                {words}
              </a>
            ),
          })}
        </p>
      )}
      <Markdown text={text} language={language} />
    </div>
  )
}

function Upcoming({ kind, version: upcoming }: TextProps) {
  const { version, language, from, changes } = upcoming
  return (
    <section className="grid max-w-3xl gap-4 border-accent border-s-2 ps-6">
      <h2 className="display text-2xl">
        {t('Version {version} comes into force on {from} (UTC)', { version, from: utcDay(from) })}
      </h2>
      {changes && <Paragraphs language={language} text={changes} className="text-ink-soft" />}
      <details className="disclosure">
        <summary>{t('Read version {version}', { version })}</summary>
        <Text kind={kind} version={upcoming} />
      </details>
    </section>
  )
}

function Past({ kind, versions }: { kind: PolicyKind; versions: readonly PolicyVersion[] }) {
  return (
    <section className="grid max-w-3xl gap-4">
      <h2 className="display text-2xl">{t('Earlier versions')}</h2>
      <div className="border-rule border-b">
        {versions.map(past => (
          <details key={past.version} className="disclosure">
            <summary>
              {t('Version {version}, from {from}', { version: past.version, from: utcDay(past.from) })}
            </summary>
            {past.changes && (
              <Paragraphs language={past.language} text={past.changes} className="text-ink-soft" />
            )}
            <Text kind={kind} version={past} />
          </details>
        ))}
      </div>
    </section>
  )
}
