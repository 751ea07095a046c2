/**
 * What comes after what in a process. That is order and not time: no fake timers of a test hold it up, neither those that came
 * after the import, nor those that came before it.
 */
type Own = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'> &
  Partial<Pick<typeof globalThis, 'setImmediate' | 'clearImmediate'>>

const done: Promise<void> = /* @__PURE__ */ Promise.resolve()

/** Calls back after this call, in this task. What is thrown there is a rejection that nobody handles. */
export function soon(act: () => void): void {
  void done.then(act)
}

/** Those of Node are not the globals: a test may have replaced these before the import. `node:test` alone replaces both. */
function ownTimers(): Own {
  const { process } = globalThis as Partial<typeof globalThis>
  const { setTimeout, clearTimeout, setImmediate, clearImmediate }: Own =
    process?.getBuiltinModule?.('node:timers') ?? globalThis
  return {
    setTimeout,
    clearTimeout,
    ...(setImmediate !== undefined && { setImmediate }),
    ...(clearImmediate !== undefined && { clearImmediate }),
  }
}

const own: Own = /* @__PURE__ */ ownTimers()

/** Calls back after this task and all its microtasks. No time passes. */
export function nextTask(act: () => void): void {
  const { setTimeout } = own
  setTimeout(act)
}

/** Calls back after this turn of the event loop, without the millisecond of a timer. Returns a function that cancels it. */
export function afterTurn(act: () => void): () => void {
  const { setTimeout, clearTimeout, setImmediate, clearImmediate } = own
  if (setImmediate === undefined || clearImmediate === undefined) {
    const task = setTimeout(act)
    return () => clearTimeout(task)
  }
  const immediate = setImmediate(act)
  return () => clearImmediate(immediate)
}
