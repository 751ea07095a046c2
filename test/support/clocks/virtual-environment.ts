/** The environments of several processes on one clock, which stands still until a test moves it. */
import type { Environment } from '../../../src/runtime/environment.ts'
import { virtualClock, type VirtualClock } from './virtual-clock.ts'

export interface VirtualEnvironment extends Environment {
  readonly clock: VirtualClock
}

/** `name`: begins the ids, so that those of several processes differ. */
export function virtualEnvironment(name = 'id', clock = virtualClock()): VirtualEnvironment {
  let ids = 0
  return { clock, newId: () => `${name}${++ids}` }
}
