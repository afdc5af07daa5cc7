import {
  type BrandTheme,
  type ContrastUse,
  contrastsOf,
  failingContrast,
  nearestUsable,
  ratioInWords,
} from '#shared/brand.ts'
import { msg } from '#shared/i18n/t.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'

const uses: Record<ContrastUse, string> = {
  text: msg('Links and marks'),
  button: 'Button text',
  focus: 'Focus outline',
}

type Colour = { colour: string; theme: BrandTheme }

/** How well a colour can be read wherever pages use it, and the nearest that can. */
export function ContrastCheck({ colour, theme, onUse }: Colour & { onUse: (colour: string) => void }) {
  const nearest = failingContrast(colour, theme) && nearestUsable(colour, theme)
  return (
    <div className="grid gap-2 text-sm">
      <ul aria-label={`Contrast in the ${theme} theme`} className="grid gap-1">
        {contrastsOf(colour, theme).map(({ use, ratio, needed }) => (
          <li key={use} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <span>{uses[use]}</span>
            <span className="ml-auto flex items-center gap-2 tabular-nums">
              {tr('{ratio}, needs {needed}{value}', {
                ratio: ratioInWords(ratio),
                needed: ratioInWords(needed),
                value: ratio < needed ? <Badge tone="bad">Too low</Badge> : <Badge tone="good">Enough</Badge>,
              })}
            </span>
          </li>
        ))}
      </ul>
      {nearest && (
        <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {tr(
            'Some people could not read this colour. The preview shows the nearest shade that they can:<button>Use {nearest}</button>',
            {
              nearest,
              button: words => (
                <Button tone="quiet" size="sm" onClick={() => onUse(nearest)}>
                  {words}
                </Button>
              ),
            },
          )}
        </p>
      )}
    </div>
  )
}
