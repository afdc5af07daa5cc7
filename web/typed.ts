type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Keeps what was typed, chosen and ticked before the script ran. Hydration leaves fields as they are, unless the
 * document is not what the server sent, as where a password manager has put its own element beside a field: then React
 * makes the page anew.
 * @returns `restore` fills the new fields in, and gives the focus and the caret back; `done` forgets the old ones.
 */
export function keepTyped() {
  let before = controls()
  let focused = document.activeElement
  const follow = (event: FocusEvent) => {
    const made = [...before.values()].some(control => !control.isConnected)
    // What the new page focuses by itself does not count.
    if (!made) focused = event.target as Element
  }
  document.addEventListener('focusin', follow)
  return {
    restore() {
      // The start is over, but the new overlay stands before the page again.
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

/** Fields by their names and, where several have the same, their places among those. */
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
  // Null for addresses and numbers, whose caret nobody can know.
  if (old.selectionStart === null) return
  control.setSelectionRange(old.selectionStart, old.selectionEnd, old.selectionDirection ?? undefined)
}
