/** A store whose operations take real time: nothing else of the world happens until each has settled. */
import type { WholeStore } from 'troupe'
import type { Scheduler } from './scheduler.ts'

export function heldStore(store: WholeStore, scheduler: Scheduler): WholeStore {
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
    blobs: held(store.blobs),
  }
}
