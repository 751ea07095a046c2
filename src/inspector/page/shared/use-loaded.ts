/** A value of the server for a key, such as a row: loaded when the key has rested a moment, and kept for a while. */
import { useEffect, useReducer, useRef } from 'preact/hooks'

export type Loaded<Value> =
  | { readonly state: 'loading'; readonly value?: Value }
  | { readonly state: 'ready'; readonly value: Value }
  | {
      readonly state: 'failed'
      readonly error: unknown
      readonly retry: () => void
      readonly value?: undefined
    }

/** A key that repeats moves faster than the server is to be asked. */
const rest = 60
const mostKept = 64

/**
 * `key`: `undefined` loads nothing. While another value is loading, the one before is given, so that a panel does not
 * flicker. `load` is given a signal that is aborted when the key has changed.
 */
export function useLoaded<Value>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const known = useRef(new Map<string, Value>()).current
  const last = useRef<Value | undefined>(undefined)
  const failure = useRef<{ readonly key: string; readonly error: unknown } | undefined>(undefined)
  const [, draw] = useReducer<number, undefined>((count) => count + 1, 0)
  const [attempt, tryAgain] = useReducer<number, undefined>((count) => count + 1, 0)
  const value = key === undefined ? undefined : known.get(key)
  if (value !== undefined) last.current = value

  useEffect(() => {
    if (key === undefined || known.has(key)) return undefined
    const aborting = new AbortController()
    failure.current = undefined
    const settle = (set: () => void) => {
      if (aborting.signal.aborted) return
      set()
      draw(undefined)
    }
    const fail = (error: unknown) => {
      failure.current = { key, error }
    }
    const timer = setTimeout(() => {
      load(aborting.signal).then(
        (loaded) => settle(() => keep(known, key, loaded)),
        (error: unknown) => settle(() => fail(error)),
      )
    }, rest)
    return () => {
      clearTimeout(timer)
      aborting.abort()
    }
  }, [key, attempt])

  if (value !== undefined) return { state: 'ready', value }
  if (failure.current !== undefined && failure.current.key === key) {
    return { state: 'failed', error: failure.current.error, retry: () => tryAgain(undefined) }
  }
  return { state: 'loading', ...(last.current === undefined ? {} : { value: last.current }) }
}

function keep<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.set(key, value)
  const oldest = known.keys().next()
  if (known.size > mostKept && oldest.done !== true) known.delete(oldest.value)
}
