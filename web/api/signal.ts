/** An event that modules can follow without importing each other in a cycle. */
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
