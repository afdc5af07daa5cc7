import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Visit } from '#web/site/page-data.ts'
import { type Theme, themePath } from '#web/theme.ts'
import { choiceCookie, chosenIn, keepChoice } from './choice-cookie.ts'
import { pageBefore } from './page-before.ts'

const labels: Record<Theme, string> = { system: msg('System'), light: msg('Light'), dark: msg('Dark') }

/** The theme that a Cookie header chooses. */
export function themeOf(cookies: string, publicUrl: string): Theme {
  return themeIn(chosenIn(cookies, 'theme', publicUrl))
}

function themeIn(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'system'
}

/** The cookie of a theme, from which a shared document is rendered; none for the system's. */
export function themeCookie(theme: Theme, publicUrl: string): string[] {
  return choiceCookie('theme', theme === 'system' ? undefined : theme, publicUrl)
}

/** Stores the choice in this browser and shows the page again. Pages without scripts have it too, so a form does it. */
export async function chooseTheme({ request, host: { publicUrl } }: Visit): Promise<Response> {
  const theme = themeIn((await request.formData()).get('theme'))
  const cookie = keepChoice('theme', theme === 'system' ? undefined : theme, publicUrl)
  return new Response(null, { status: 303, headers: { 'Set-Cookie': cookie, Location: pageBefore(request) } })
}

/** At the end of every document, outside of the app: it costs no script. */
export function ThemeChoice({ theme }: { theme: Theme }) {
  return (
    <form method="post" action={themePath} aria-label={t('Theme')}>
      <div className="flex flex-wrap items-center gap-1">
        <span aria-hidden="true" className="me-2">
          {t('Theme')}
        </span>
        {Object.entries(labels).map(([value, label]) => (
          <button
            key={value}
            type="submit"
            name="theme"
            value={value}
            aria-pressed={value === theme}
            className="min-h-9 rounded-sm px-3 hover:text-ink aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink"
          >
            {translate(label)}
          </button>
        ))}
      </div>
    </form>
  )
}
