/**
 * Makes the listeners of a signal safe. A listener that throws when a signal fires, or whose promise rejects, ends the process:
 * the platform has nobody else to tell.
 */

type Listen = AbortSignal['addEventListener']
type Listener = Parameters<Listen>[1]

const safe = new WeakSet<AbortSignal>()

/** Whether the listeners of the signal are safe by now. */
export function hasSafeListeners(signal: AbortSignal): boolean {
  return safe.has(signal)
}

/** Returns the signal itself. From now on `failed` receives the errors of its listeners. */
export function withSafeListeners(signal: AbortSignal, failed: (error: unknown) => void): AbortSignal {
  if (safe.has(signal)) return signal
  safe.add(signal)
  const guarded = new WeakMap<object, (event: Event) => void>()
  const guard = (listener: Listener): Listener => {
    if (listener === null || listener === undefined) return listener
    const known = guarded.get(listener)
    if (known !== undefined) return known
    const made = (event: Event): void => {
      try {
        const answer: unknown =
          typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event)
        Promise.resolve(answer).then(undefined, failed)
      } catch (error) {
        failed(error)
      }
    }
    guarded.set(listener, made)
    return made
  }
  const { prototype } = EventTarget
  let onAbort: AbortSignal['onabort'] = null
  const remove = (listener: Listener): void =>
    prototype.removeEventListener.call(signal, 'abort', guard(listener))
  Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener, options?: Parameters<Listen>[2]) =>
        prototype.addEventListener.call(signal, type, guard(listener), options),
    },
    removeEventListener: {
      value: (type: string, listener: Listener, options?: Parameters<Listen>[2]) =>
        prototype.removeEventListener.call(signal, type, guard(listener), options),
    },
    onabort: {
      get: () => onAbort,
      set(listener: AbortSignal['onabort']) {
        if (onAbort !== null) remove(onAbort as Listener)
        onAbort = typeof listener === 'function' ? listener : null
        if (onAbort !== null) prototype.addEventListener.call(signal, 'abort', guard(onAbort as Listener))
      },
    },
  })
  return signal
}
