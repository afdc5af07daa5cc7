import { use } from 'react'

/** A module that loads once, when first needed. */
export type LazyModule<M> = {
  load(): Promise<M>
  /** For components: suspends until the module is there (a transition keeps the current page). */
  read(): M
}

/** The module's file could not be fetched. */
export class ModuleLoadError extends Error {}

/** Unlike React's `lazy`, it can load before it is shown and is then shown at once, and it tries again after a failure. */
export function lazyModule<M>(get: () => Promise<M>): LazyModule<M> {
  let loading: Promise<M> | undefined
  let failed = false
  function begin(): Promise<M> {
    failed = false
    const begun: Promise<M> = get().then(
      module => {
        // React's `use` then reads it without suspending.
        Object.assign(begun, { status: 'fulfilled', value: module })
        return module
      },
      cause => {
        failed = true
        throw new ModuleLoadError('a page script could not be loaded', { cause })
      },
    )
    return begun
  }
  function load(): Promise<M> {
    // The network may be back.
    if (failed || !loading) loading = begin()
    return loading
  }
  function read(): M {
    // Keep the failure: loading anew at each render would suspend forever.
    loading ??= begin()
    return use(loading)
  }
  return { load, read }
}
