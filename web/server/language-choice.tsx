import { languageNow } from '#shared/i18n/language.ts'
import { languageCodes, languages, sourceLanguage } from '#shared/i18n/languages.ts'
import { t } from '#shared/i18n/t.ts'
import { inLanguagePath, languagePath } from '#web/language.ts'

const look =
  'inline-grid min-h-9 place-items-center rounded-sm px-3 hover:text-ink aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink aria-[current=true]:bg-sunken aria-[current=true]:font-medium aria-[current=true]:text-ink'

/** @property path of a public page, whose languages are links; pages of accounts have a form, because their address is the same */
type ChoiceProps = { path: string | undefined }

/** At the end of every document, outside of the app: it costs no script. */
export function LanguageChoice({ path }: ChoiceProps) {
  if (path === undefined) return <Choice label={t('Language')} />
  return (
    <nav aria-label={t('Language')}>
      <Links path={path} />
    </nav>
  )
}

/** The same, for the button of the header. */
export function LanguageMenu({ path }: ChoiceProps) {
  return (
    <div id="languages" popover="auto" className="language-menu">
      {path === undefined ? <Choice /> : <Links path={path} />}
    </div>
  )
}

function Links({ path }: { path: string }) {
  const now = languageNow()
  return (
    <div className="flex flex-wrap items-center gap-1">
      {languageCodes.map(code => (
        <a
          key={code}
          href={code === sourceLanguage ? `/${code}${path === '/' ? '' : path}` : inLanguagePath(path, code)}
          lang={code}
          hrefLang={code}
          aria-current={code === now ? 'true' : undefined}
          className={look}
        >
          {languages[code].name}
        </a>
      ))}
    </div>
  )
}

function Choice({ label }: { label?: string }) {
  const now = languageNow()
  return (
    <form
      method="post"
      action={languagePath}
      aria-label={label}
      className="flex flex-wrap items-center gap-1"
    >
      {languageCodes.map(code => (
        <button
          key={code}
          type="submit"
          name="language"
          value={code}
          lang={code}
          aria-pressed={code === now}
          className={look}
        >
          {languages[code].name}
        </button>
      ))}
    </form>
  )
}
