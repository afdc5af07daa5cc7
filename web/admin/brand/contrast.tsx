import {
  type BrandTheme,
  type ContrastUse,
  contrastsOf,
  failingContrast,
  nearestUsable,
  ratioInWords,
} from '#shared/brand.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'

const uses: Record<ContrastUse, string> = {
  text: 'Links and marks',
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
              {ratioInWords(ratio)}, needs {ratioInWords(needed)}
              {ratio < needed ? <Badge tone="bad">Too low</Badge> : <Badge tone="good">Enough</Badge>}
            </span>
          </li>
        ))}
      </ul>
      {nearest && (
        <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2">
          Some people could not read this colour. The preview shows the nearest shade that they can:
          <Button tone="quiet" size="sm" onClick={() => onUse(nearest)}>
            Use {nearest}
          </Button>
        </p>
      )}
    </div>
  )
}
