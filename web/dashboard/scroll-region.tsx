import { type ReactNode, useEffect, useRef, useState } from 'react'

/** What is wider than its place scrolls sideways, by keyboard too: it takes the focus while there is something to scroll. */
export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  const region = useRef<HTMLElement>(null)
  const [overflows, setOverflows] = useState(false)

  useEffect(() => {
    const element = region.current
    if (!element) return
    const observer = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])

  return (
    <section
      ref={region}
      aria-label={overflows ? `${label}, scrolls sideways` : undefined}
      tabIndex={overflows ? 0 : undefined}
      className="wrap-normal overflow-x-auto"
    >
      {children}
    </section>
  )
}
