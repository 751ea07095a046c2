/**
 * A troupe's time and ids, from its process: time for leases, polling, passivation and recovery, independent of the
 * clock of its runs. A simulation passes its own.
 */
import { nanoid } from 'nanoid'
import { inContextHere } from './async-context.ts'
import { afterTurn } from '../actors/values/order.ts'
import { systemClock, type Clock } from './clock.ts'

export interface Environment {
  readonly clock: Clock
  /** Gives a new id, unique in the store. */
  readonly newId: () => string
}

export const systemEnvironment: Environment = { clock: systemClock, newId: () => nanoid() }

/** Resolves after the timers and the I/O that are due now. */
export function nextTurn({ clock }: Pick<Environment, 'clock'>): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve))
}

/** Calls back when the work of this turn is done. Returns a function that cancels it. */
export function whenTurnEnds({ clock }: Pick<Environment, 'clock'>, callback: () => void): () => void {
  return clock === systemClock ? afterTurn(callback) : clock.after(0, inContextHere(callback))
}
