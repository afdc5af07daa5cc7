import { startTransition, useLayoutEffect, useState } from 'react'

/**
 * False until the component's first paint, then true, in a transition. For what is out of sight at first and takes long to
 * render: a deferred value does not wait for the paint.
 */
export function usePainted(): boolean {
  const [isPainted, setPainted] = useState(false)
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  return isPainted
}
