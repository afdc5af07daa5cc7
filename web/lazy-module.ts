import { use } from 'react'

/** A module that is loaded when it is first needed, once. */
export type LazyModule<M> = {
  load(): Promise<M>
  /** The module, for a component: one that is not there yet is waited for (a transition keeps the page that is on show). */
  read(): M
}

/** The module could not be fetched. */
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
    // The network may be back by now.
    if (failed) loading = undefined
    loading ??= fetch()
    return loading
  }
  function read(): M {
    // What has failed fails here, too: asked for anew at each rendering, it would be waited for without an end.
    loading ??= fetch()
    // React demands that a component which has suspended here calls `use` again; the server reads outside of components.
    if (module !== undefined && !isAwaited) return module
    isAwaited = true
    return use(loading)
  }
  return { load, read }
}
