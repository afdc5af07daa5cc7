/** A choice is kept in the browser for so long after it was made. */
const KEPT_DAYS = 365

/** Under https the cookie is bound to this host, as that of the overlay. */
function cookieName(choice: string, publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${choice}` : choice
}

/** What a Cookie header says of a choice: `theme` or `language`. */
export function chosenIn(cookies: string, choice: string, publicUrl: string): string | undefined {
  const name = `${cookieName(choice, publicUrl)}=`
  const cookie = cookies.split(/;\s*/).find(one => one.startsWith(name))
  return cookie?.slice(name.length)
}

/** The cookie by which shared documents differ; none for the default (undefined). */
export function choiceCookie(choice: string, value: string | undefined, publicUrl: string): string[] {
  return value === undefined ? [] : [`${cookieName(choice, publicUrl)}=${value}`]
}

/** The header that stores a choice in the browser, or removes that of before for the default. */
export function keepChoice(choice: string, value: string | undefined, publicUrl: string): string {
  return [
    `${cookieName(choice, publicUrl)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === undefined ? 0 : KEPT_DAYS * 86_400}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(publicUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
}
