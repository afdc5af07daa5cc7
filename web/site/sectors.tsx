import type { ComponentType } from 'react'
import type { FirmSector } from '#shared/contract/firm-texts.ts'
import type { SectorDrawing } from '#shared/firm-texts.ts'
import { t } from '#shared/i18n/t.ts'
import { FirmWords, useMarks } from '#web/components/firm-words.tsx'
import { paths } from '#web/paths.ts'
import { EstateDrawing, RetirementDrawing, TechnologyDrawing } from './artwork.tsx'
import { Part } from './banner.tsx'
import { useTexts } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'

const drawings: Record<SectorDrawing, ComponentType<{ className?: string }>> = {
  technology: TechnologyDrawing,
  property: EstateDrawing,
  retirement: RetirementDrawing,
}

export function SectorPicture({ drawing, className }: { drawing: SectorDrawing; className: string }) {
  const Drawing = drawings[drawing]
  return <Drawing className={className} />
}

/** A sector's anchor on the services page, by place: titles may be non-Latin or alike. */
export function sectorAnchor(place: number): string {
  return `sector-${place + 1}`
}

/** The firm's sectors, if it names any (P-03), as cards linked to the services page. */
export function Sectors() {
  const { sectors, sectorsHeading, sectorsLead } = useTexts()
  if (sectors.length === 0) return null
  return (
    <Part
      wide
      eyebrow={t('Where we invest')}
      title={
        sectorsHeading === null ? (
          t('Our sectors')
        ) : (
          <FirmWords of="sectorsHeading">{sectorsHeading}</FirmWords>
        )
      }
      lead={sectorsLead && <Paragraphs of="sectorsLead" text={sectorsLead} />}
    >
      <ul className="grid gap-x-8 gap-y-12 md:grid-cols-2 lg:grid-cols-3">
        {sectors.map((sector, place) => (
          <SectorCard key={sector.title} {...sector} anchor={sectorAnchor(place)} />
        ))}
      </ul>
    </Part>
  )
}

function SectorCard({ anchor, title, brief, drawing }: FirmSector & { anchor: string }) {
  const marks = useMarks('sectors')
  return (
    <li data-figure="firm" className="group relative grid content-start gap-5">
      {drawing && (
        <div className="bg-sunken p-6 motion-safe:transition-colors group-hover:bg-accent-soft">
          <SectorPicture drawing={drawing} className="mx-auto w-full max-w-72" />
        </div>
      )}
      <h3 {...marks} className="display text-xl">
        <a href={`${paths.services}#${anchor}`} className="after:absolute after:inset-0 hover:text-accent">
          {title}
        </a>
      </h3>
      <p {...marks} className="text-ink-soft">
        {brief}
      </p>
    </li>
  )
}
