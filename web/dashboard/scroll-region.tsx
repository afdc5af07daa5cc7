import { type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '#shared/i18n/t.ts'
import { cx } from '#web/ui/cx.ts'

type ScrollRegionProps = {
  label: string
  /** Also scrolls vertically. */
  tall?: boolean
  className?: string
  children: ReactNode
}

/** Scrolls wide content sideways; takes the keyboard focus while it overflows. */
export function ScrollRegion({ label, tall = false, className, children }: ScrollRegionProps) {
  const region = useRef<HTMLElement>(null)
  const [overflows, setOverflows] = useState(false)

  useEffect(() => {
    const element = region.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element
      setOverflows(scrollWidth > clientWidth || (tall && scrollHeight > clientHeight))
    })
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [tall])

  return (
    <section
      ref={region}
      aria-label={overflows ? `${label}, ${tall ? t('scrolls') : t('scrolls sideways')}` : undefined}
      tabIndex={overflows ? 0 : undefined}
      className={cx('wrap-normal relative', tall ? 'overflow-auto' : 'overflow-x-auto', className)}
    >
      {children}
    </section>
  )
}
