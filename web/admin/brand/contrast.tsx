import {
  type BrandTheme,
  type ContrastUse,
  contrastsOf,
  failingContrast,
  nearestUsable,
  ratioInWords,
} from '#shared/brand.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'

const uses: Record<ContrastUse, string> = {
  text: msg('Links and marks'),
  button: msg('Button text'),
  focus: msg('Focus outline'),
}
const titles: Record<BrandTheme, string> = {
  light: msg('Contrast in the light theme'),
  dark: msg('Contrast in the dark theme'),
}

type Colour = { colour: string; theme: BrandTheme }

/** How well a colour can be read wherever pages use it, and the nearest that can. */
export function ContrastCheck({ colour, theme, onUse }: Colour & { onUse: (colour: string) => void }) {
  const nearest = failingContrast(colour, theme) && nearestUsable(colour, theme)
  return (
    <div className="grid gap-2 text-sm">
      <ul aria-label={translate(titles[theme])} className="grid gap-1">
        {contrastsOf(colour, theme).map(({ use, ratio, needed }) => (
          <li key={use} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <span>{translate(uses[use])}</span>
            <span className="ms-auto flex items-center gap-2 tabular-nums">
              {t('{ratio}, needs {needed}', { ratio: ratioInWords(ratio), needed: ratioInWords(needed) })}
              {ratio < needed ? (
                <Badge tone="bad">{t('Too low')}</Badge>
              ) : (
                <Badge tone="good">{t('Enough')}</Badge>
              )}
            </span>
          </li>
        ))}
      </ul>
      {nearest && (
        <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {t('Some people could not read this colour. The preview shows the nearest shade that they can:')}
          <Button tone="quiet" size="sm" onClick={() => onUse(nearest)}>
            {tr('Use {colour}', { colour: <bdi>{nearest}</bdi> })}
          </Button>
        </p>
      )}
    </div>
  )
}
