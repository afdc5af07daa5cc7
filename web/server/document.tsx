import type { ReactNode } from 'react'
import inter from '#fonts/inter.woff2?url'
import newsreader from '#fonts/newsreader.woff2?url'
import arabic from '#fonts/noto-sans-arabic.woff2?url'
import touchIcon from '#pictures/apple-touch-icon.png?url'
import icon32 from '#pictures/icon-32.png?url'
import { languageNow } from '#shared/i18n/language.ts'
import { languages } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { DemoBanner } from '#web/components/demo-banner.tsx'
import { ErrorPage } from '#web/components/error-page.tsx'
import { LegalFooter } from '#web/components/legal-footer.tsx'
import { LiveChat } from '#web/components/live-chat.tsx'
import { SiteHeader } from '#web/components/site-header.tsx'
import { StartOverlay } from '#web/components/start-overlay.tsx'
import type { AppFrame, Frame } from '#web/frame.ts'
import icon from '#web/icon.svg?url'
import { publicPath } from '#web/language.ts'
import type { MetaTag, PageHandle } from '#web/page.ts'
import { serverPaths } from '#web/server/paths.ts'
import styles from '#web/styles/app.css?url'
import { paper } from '#web/styles/paper.ts'
import type { Theme } from '#web/theme.ts'
import type { Scripts } from './client-files.ts'
import { LanguageChoice, LanguageMenu } from './language-choice.tsx'
import { ThemeChoice } from './theme.tsx'

type DocumentProps = {
  frame: Frame
  handle: PageHandle
  tags: readonly MetaTag[]
  /** Without them the page sends no script. */
  scripts?: Scripts | undefined
  /** The English address of a public page, which is in every language. */
  path?: string | undefined
  children: ReactNode
}

/** The document around every page: head, demonstration banner, start overlay. Server only. */
export function Document({ frame, handle, tags, scripts, path, children }: DocumentProps) {
  const { site, overlay, theme } = frame
  const noindex = handle.hidden || site.mode !== 'live'
  const language = languageNow()
  return (
    <html
      lang={language}
      dir={languages[language].direction}
      data-theme={theme === 'system' ? undefined : theme}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <ThemeColor theme={theme} />
        {noindex && <meta name="robots" content="noindex" />}
        {tags.map(tag => (
          <HeadTag key={JSON.stringify(tag)} tag={tag} />
        ))}
        {/* A precedence puts it before everything else. */}
        <link rel="stylesheet" href={styles} precedence="default" />
        {site.brand && <link rel="stylesheet" href={site.brand.stylesheet} precedence="default" />}
        {[...(language === 'ar' ? [arabic] : []), newsreader, inter].map(href => (
          <link key={href} rel="preload" href={href} as="font" type="font/woff2" crossOrigin="anonymous" />
        ))}
        <Icons own={site.brand?.icon} />
        <link rel="manifest" href={publicPath(serverPaths.manifest)} />
        {scripts && <HeadScripts scripts={scripts} />}
      </head>
      <body className="flex min-h-dvh flex-col font-sans antialiased">
        {overlay && <StartOverlay name={site.firm.productName} />}
        <a className="skip-link" href="#content">
          {t('Skip to content')}
        </a>
        {site.mode === 'demo' && <DemoBanner />}
        {children}
        <div className="border-rule border-t print:hidden">
          <div className="page flex flex-wrap items-center justify-center gap-x-8 py-2 text-ink-soft text-sm">
            <LanguageChoice path={path} />
            <ThemeChoice theme={theme} />
          </div>
        </div>
        <LanguageMenu path={path} />
        {site.liveChat && <LiveChat {...site.liveChat} />}
      </body>
    </html>
  )
}

function Icons({ own }: { own: string | null | undefined }) {
  if (own) return <link rel="icon" href={own} type="image/png" />
  return (
    <>
      <link rel="icon" href={icon32} type="image/png" sizes="32x32" />
      <link rel="icon" href={icon} type="image/svg+xml" />
      <link rel="apple-touch-icon" href={touchIcon} />
    </>
  )
}

/** The colour of the browser's own bars. */
function ThemeColor({ theme }: { theme: Theme }) {
  if (theme !== 'system') return <meta name="theme-color" content={paper[theme]} />
  return (
    <>
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={paper.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={paper.dark} />
    </>
  )
}

function HeadTag({ tag }: { tag: MetaTag }) {
  if ('title' in tag) return <title>{tag.title}</title>
  if ('rel' in tag) return <link {...tag} />
  if (!('jsonLd' in tag)) return <meta {...tag} />
  return <DataBlock type="application/ld+json" data={tag.jsonLd} />
}

/** Data that browsers do not run, so the content security policy need not allow it. */
export function DataBlock({ type, id, data }: { type: string; id?: string; data: unknown }) {
  // A closing tag inside the data would end the element.
  const text = JSON.stringify(data).replaceAll('<', '\\u003c')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without a less-than sign.
  return <script type={type} id={id} dangerouslySetInnerHTML={{ __html: text }} />
}

function HeadScripts({ scripts: { entry, preloads, start } }: { scripts: Scripts }) {
  if (start !== undefined) return <script src={start} data-entry={entry} data-preloads={preloads.join(' ')} />
  return (
    <>
      {preloads.map(href => (
        <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
      ))}
      <script type="module" src={entry} />
    </>
  )
}

/** Root element of the app, rendered, with its data. */
export function AppRoot({ html, frame }: { html: string; frame: AppFrame }) {
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: React has rendered it. */}
      <div id="app" className="contents" dangerouslySetInnerHTML={{ __html: html }} />
      <DataBlock type="application/json" id="frame" data={frame} />
    </>
  )
}

/** Replaces a failed or unavailable page. */
export function StandIn({ status }: { status: number }) {
  return (
    <>
      <SiteHeader />
      <main id="content" className="flex-1">
        <ErrorPage status={status} />
      </main>
      <footer>
        <LegalFooter />
      </footer>
    </>
  )
}
