type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Keeps input typed before hydration. React recreates the fields if the document was changed, for example by a
 * password manager.
 * @returns `restore` fills the new fields and restores focus and caret; `done` forgets the old ones
 */
export function keepTyped() {
  let before = controls()
  let focused = document.activeElement
  const follow = (event: FocusEvent) => {
    const made = [...before.values()].some(control => !control.isConnected)
    // Ignore the focus set by the new page itself.
    if (!made) focused = event.target as Element
  }
  document.addEventListener('focusin', follow)
  return {
    restore() {
      // The recreated overlay would cover the page again.
      document.querySelector<HTMLDialogElement>('.start-overlay')?.close()
      const after = controls()
      for (const [key, old] of before) {
        const fresh = after.get(key)
        if (!fresh || fresh === old) continue
        copy(old, fresh)
        if (old === focused) focus(fresh, old)
      }
    },
    done() {
      before = new Map()
      document.removeEventListener('focusin', follow)
    },
  }
}

/** Fields by name and, for equal names, position. */
function controls(): Map<string, Control> {
  const places = new Map<string, number>()
  const found = new Map<string, Control>()
  for (const control of document.querySelectorAll<Control>('form :is(input, textarea, select)[name]')) {
    const place = places.get(control.name) ?? 0
    places.set(control.name, place + 1)
    found.set(`${control.name} ${place}`, control)
  }
  return found
}

function copy(from: Control, to: Control) {
  if (from instanceof HTMLInputElement && to instanceof HTMLInputElement) to.checked = from.checked
  to.value = from.value
}

function focus(control: Control, old: Control) {
  control.focus()
  if (control instanceof HTMLSelectElement || old instanceof HTMLSelectElement) return
  // Null for email and number fields, whose caret is unknown.
  if (old.selectionStart === null) return
  control.setSelectionRange(old.selectionStart, old.selectionEnd, old.selectionDirection ?? undefined)
}
