/** An event that modules can follow without importing each other in a cycle. */
export function signal<T = void>() {
  const listeners = new Set<(event: T) => void>()
  return {
    emit(event: T) {
      for (const listener of listeners) listener(event)
    },
    /** @returns stops listening. */
    on(listener: (event: T) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
