/** `createTroupeOn`: a troupe with all of its time on one clock, and with a store that the clock waits for. */
import { having } from '../../actors/strict/checks.ts'
import { isRecord } from '../../actors/values/json.ts'
import { systemEnvironment } from '../../runtime/environment.ts'
import { memoryStore } from '../../runtime/journal/memory/memory-store.ts'
import { createTroupeIn, type Troupe } from '../../runtime/troupe/troupe.ts'
import type { TroupeConfig } from '../../runtime/troupe/troupe-options.ts'
import type { VirtualClock } from './virtual-clock.ts'

/**
 * As `createTroupe({ clock })`, with leases, polls, passivation and recovery on the same clock: several troupes on one
 * clock and one store are several processes. Time stands still while the store is at work. Throws a
 * `ConfigurationError`.
 */
export function createTroupeOn(clock: VirtualClock, config: Omit<TroupeConfig, 'clock'>): Troupe {
  having('a clock from virtualClock()', 'hold')(clock, 'createTroupeOn: the clock')
  const { store = memoryStore() } = config
  const environment = { clock, newId: systemEnvironment.newId }
  return createTroupeIn(environment, {
    ...config,
    clock,
    store: isRecord(store) ? watched(store, clock) : store,
  })
}

/** The same store, or the same part of one; the clock is held by each of its promises. */
function watched<Part extends object>(part: Part, clock: VirtualClock): Part {
  return new Proxy<Part>(Object.create(null) as Part, {
    has: (_, name) => Reflect.has(part, name),
    get(_, name) {
      const value: unknown = Reflect.get(part, name)
      if (typeof value === 'function') {
        return (...args: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(value, part, args)
          if (answer instanceof Promise) clock.hold(answer)
          return answer
        }
      }
      return isRecord(value) ? watched(value, clock) : value
    },
  })
}
