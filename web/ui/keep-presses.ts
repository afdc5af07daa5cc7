/** Movement of the pointer, in CSS pixels, that takes a press back (WCAG 2.5.2). */
const slackPx = 8

/**
 * Keeps a mouse press with the control where it began, although the page moves beneath the pointer, as touch does.
 * @returns stops keeping them
 */
export function keepPresses(): () => void {
  const until = new AbortController()
  let pressed: { control: Element; pointerId: number; x: number; y: number } | undefined

  function press({ target, pointerType, button, pointerId, clientX: x, clientY: y }: PointerEvent) {
    pressed = undefined
    const control = pointerType === 'mouse' && button === 0 && (target as Element).closest('button, a[href]')
    if (!control) return
    control.setPointerCapture(pointerId)
    pressed = { control, pointerId, x, y }
  }
  function move({ pointerId, clientX, clientY }: PointerEvent) {
    if (pressed?.pointerId !== pointerId) return
    if (Math.hypot(clientX - pressed.x, clientY - pressed.y) <= slackPx) return
    pressed.control.releasePointerCapture(pointerId)
    pressed = undefined
  }
  const options = { capture: true, passive: true, signal: until.signal }
  addEventListener('pointerdown', press, options)
  addEventListener('pointermove', move, options)
  return () => until.abort()
}
