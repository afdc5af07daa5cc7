import { type Accents, ownAccents, paletteOf, tokens } from './brand.ts'

/** How emails look. They are composed in the product's own look, and dressed in the firm's when they are sent. */

const { light, dark } = tokens

export const bodyStyle = `style="margin:0;padding:24px 16px;background:${light.paper};color:${light.ink};font:16px/1.6 -apple-system,'Segoe UI',Helvetica,Arial,sans-serif"`
export const faintStyle = `color:${light.inkSoft}`

/** Mail programs that drop style elements still show these, so each element has its own. */
export const linkStyle = (accents: Accents) => `style="color:${accents.light}"`
export const buttonStyle = (accents: Accents) => {
  const { accent, onAccent } = paletteOf(accents.light, 'light')
  return `style="display:inline-block;padding:10px 20px;border-radius:3px;background:${accent};color:${onAccent};font-weight:600;text-decoration:none"`
}

/** For mail programs with a dark theme. */
export const darkStyle = (accents: Accents) => {
  const { accent, onAccent } = paletteOf(accents.dark, 'dark')
  return `<style>@media (prefers-color-scheme:dark){.body{background:${dark.paper}!important;color:${dark.ink}!important}.faint{color:${dark.inkSoft}!important}.rule{border-color:${dark.rule}!important}.link{color:${accent}!important}.button{background:${accent}!important;color:${onAccent}!important}.logo{background:#ffffff!important;padding:4px!important}}</style>`
}

/** The name at the head of an email, where a logo goes; its text is escaped, so nothing in it looks like these marks. */
export const nameSlot = (escapedName: string) => `<!--name-->${escapedName}<!--/name-->`
const namePattern = /<!--name-->([^<]*)<!--\/name-->/

/** The logo's height in emails, in pixels. */
const logoHeight = 32

export type EmailLook = {
  accents: Accents
  logo: { src: string; width: number; height: number; withName: boolean } | null
}

/** @param html of `composeEmail` in the product's own look */
export function dressEmail(html: string, { accents, logo }: EmailLook): string {
  const coloured = [linkStyle, buttonStyle, darkStyle].reduce(
    (text, style) => text.replaceAll(style(ownAccents), style(accents)),
    html,
  )
  if (logo === null) return coloured
  const { src, width, height, withName } = logo
  const size = `width="${Math.round((width / height) * logoHeight)}" height="${logoHeight}"`
  const picture = (alt: string) =>
    `<img class="logo" src="${src}" alt="${alt}" ${size} style="vertical-align:middle;border-radius:3px">`
  return coloured.replace(namePattern, (_, name: string) =>
    withName ? picture(name) : `${picture('')}&#160;&#160;${name}`,
  )
}
