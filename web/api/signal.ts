/** Something that happened, for whoever wants to know: keeps modules from importing each other in a circle. */
export function signal() {
  const listeners = new Set<() => void>()
  return {
    emit() {
      for (const listener of listeners) listener()
    },
    /** @returns stops listening. */
    on(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
