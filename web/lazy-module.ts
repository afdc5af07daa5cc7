import { use } from 'react'

/** A module that loads once, when first needed. */
export type LazyModule<M> = {
  load(): Promise<M>
  /** For components: suspends until the module is there (a transition keeps the current page). */
  read(): M
}

/** The module's file could not be fetched. */
export class ModuleLoadError extends Error {}

export function lazyModule<M>(get: () => Promise<M>): LazyModule<M> {
  let module: M | undefined
  let loading: Promise<M> | undefined
  let failed = false
  let isAwaited = false
  async function fetch(): Promise<M> {
    failed = false
    try {
      module = await get()
      return module
    } catch (error) {
      failed = true
      throw new ModuleLoadError('a page script could not be loaded', { cause: error })
    }
  }
  function load(): Promise<M> {
    // The network may be back.
    if (failed) loading = undefined
    loading ??= fetch()
    return loading
  }
  function read(): M {
    // Keep the failure: loading anew at each render would suspend forever.
    loading ??= fetch()
    // A component that suspended here must call `use` again; the server reads outside components.
    if (module !== undefined && !isAwaited) return module
    isAwaited = true
    return use(loading)
  }
  return { load, read }
}
