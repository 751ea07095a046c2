/**
 * Async contexts, as `AsyncLocalStorage` gives them: whatever a function reads from such a storage. A run calls the
 * functions of its user in the context that has started it, and a part that runs share works in none. A platform without
 * such storages has no contexts, and each function is called as it is.
 */

/** Calls functions in one async context. */
export interface AsyncContext {
  readonly run: <Args extends readonly unknown[], Value>(
    act: (...args: Args) => Value,
    ...args: Args
  ) => Value
}

/** The part of an `AsyncLocalStorage` that is used here. */
export interface AsyncStorage {
  run<Value>(stored: object, act: () => Value): Value
  getStore(): unknown
  disable(): void
}

/** Remembers the context in which it is made. */
interface Resource {
  runInAsyncScope<Args extends readonly unknown[], Value>(
    act: (...args: Args) => Value,
    self: undefined,
    ...args: Args
  ): Value
}

interface AsyncHooks {
  readonly AsyncResource: new (type: string) => Resource
  readonly AsyncLocalStorage: new () => AsyncStorage
}

/** What a platform may have. It is found at run time: an import of a module of Node would keep the library from browsers. */
export interface Platform {
  readonly process?: { readonly getBuiltinModule?: (id: 'node:async_hooks') => AsyncHooks | undefined }
  readonly AsyncLocalStorage?: { new (): AsyncStorage; readonly snapshot?: () => AsyncContext['run'] }
}

const here = globalThis as Platform

/** Calls each function as it is. */
export const anyContext: AsyncContext = { run: (act, ...args) => act(...args) }

/** A resource of Node costs a twentieth of a snapshot. */
class ResourceContext implements AsyncContext {
  readonly #resource: Resource

  constructor(resource: Resource) {
    this.#resource = resource
  }

  run<Args extends readonly unknown[], Value>(act: (...args: Args) => Value, ...args: Args): Value {
    return this.#resource.runInAsyncScope(act, undefined, ...args)
  }
}

const type = 'troupe'

function hooksOf({ process }: Platform): AsyncHooks | undefined {
  return process?.getBuiltinModule?.('node:async_hooks')
}

/** The class of the storages of a platform. */
export function asyncStorage(platform = here): (new () => AsyncStorage) | undefined {
  return hooksOf(platform)?.AsyncLocalStorage ?? platform.AsyncLocalStorage
}

/** `empty`: taken where no storage has a value, so that a run without a context holds nothing. */
export function capturer(platform: Platform, empty?: AsyncContext): () => AsyncContext {
  const hooks = hooksOf(platform)
  if (hooks !== undefined) {
    return () => {
      const resource = new hooks.AsyncResource(type)
      return empty !== undefined && isEmpty(resource) ? empty : new ResourceContext(resource)
    }
  }
  const storage = platform.AsyncLocalStorage
  return () => ({ run: storage?.snapshot?.() ?? anyContext.run })
}

/**
 * A context in which no storage has a value. The module may be loaded within a request: then what its context holds is taken
 * out again. Where a platform does not allow that, it is the context in which the library was loaded.
 */
export function emptyContext(platform: Platform): AsyncContext {
  const hooks = hooksOf(platform)
  if (hooks === undefined) return capturer(platform)()
  const probe = new hooks.AsyncLocalStorage()
  const emptied = probe.run({}, () => {
    const resource = new hooks.AsyncResource(type)
    for (const key of Object.getOwnPropertySymbols(resource)) {
      if (!isId(key)) Reflect.deleteProperty(resource, key)
    }
    return new ResourceContext(resource)
  })
  const isEmpty = probe.run({}, () => emptied.run(() => probe.getStore() === undefined))
  released(probe)
  return isEmpty ? emptied : capturer(platform)()
}

/** In Node a storage that was used watches every promise until then. Workers have no such watch, and refuse the call. */
function released(storage: AsyncStorage): void {
  try {
    storage.disable()
  } catch {
    // The storage is this module's own, and nobody sees it again.
  }
}

/** Whether no storage has a value in the context of this resource. */
function isEmpty(resource: Resource): boolean {
  for (const key of Object.getOwnPropertySymbols(resource)) {
    if (!isId(key) && !holdsNothing(Reflect.get(resource, key))) return false
  }
  return true
}

/** Of one storage, or of all: a map by storage, whose prototype is hidden from `instanceof`. */
function holdsNothing(held: unknown): boolean {
  if (Object.prototype.toString.call(held) !== '[object Map]') return held === undefined
  for (const value of Map.prototype.values.call(held)) if (value !== undefined) return false
  return true
}

/** A resource has two ids of its own, and all else that it holds is of its context. */
function isId({ description = '' }: symbol): boolean {
  return description.endsWith('async_id_symbol')
}

/** No context: a part that runs share neither sees what is stored for the caller that began it, nor keeps it in memory. */
export const noContext = /* @__PURE__ */ emptyContext(here)

/** Captures the context of its caller, which keeps what the storages hold there in memory. */
export const contextHere = /* @__PURE__ */ capturer(here, noContext)

/** Calls back in the context of the caller. */
export function inContextHere<Args extends readonly unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const context = contextHere()
  return (...args) => context.run(callback, ...args)
}
