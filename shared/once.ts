/**
 * A value that is made when it is first needed, once. For formats of times: the first costs a phone some 50 ms, and many
 * pages show no time.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
