/** A store whose operations take real time: nothing else of the world happens until each has settled. */
import type { Store } from 'troupe'
import type { Scheduler } from './scheduler.ts'

export function heldStore(store: Store, scheduler: Scheduler): Store {
  const held = <Part extends object>(part: Part): Part => {
    const methods = Object.entries(part).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'function'
        ? (...args: readonly unknown[]): unknown => scheduler.hold(Reflect.apply(value, part, args))
        : value,
    ])
    return Object.fromEntries(methods) as Part
  }
  return {
    ...held(store),
    memory: held(store.memory),
    config: held(store.config),
    ...(store.blobs === undefined ? {} : { blobs: held(store.blobs) }),
  }
}
