/**
 * The calls of a run that goes on from an earlier point. Its journal does not tell how far the run had gone before, and so any
 * call from there on may have been made: a person is asked before each, once. It follows from the journal alone.
 */
import { effectOf, requesterOf } from '../../../actors/actor-path.ts'
import type { EffectKind } from '../../../actors/effects/effect-names.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { SparseSet } from '../../../actors/values/sparse.ts'
import { isKind, type PendingEffect } from './pending-effect.ts'

export class RestoredCalls {
  /** The calls whose doubt was told since the newest restore. */
  #told: SparseSet<string> | undefined

  /** Whether the run goes on from an earlier point. */
  get isRestored(): boolean {
    return this.#told !== undefined
  }

  restored(): void {
    this.#told = new SparseSet()
  }

  /** Whether the effect may have been performed before, and nobody was asked. `effect`: one whose start matters. */
  mayBeRepeated(effect: PendingEffect): boolean {
    return this.#told?.has(callOf(effect)) === false
  }

  /** An outcome of the effect is on record. */
  settled(effect: PendingEffect, { value, error }: Settlement): void {
    if (this.#told === undefined) return
    if (isDoubt(value)) this.#told.add(callOf(effect))
    // A chart may perform an effect of its own again and again, under one name: each asks for itself.
    else if (isKind(effect, 'custom') && error?.retryable !== true) this.#told.delete(callOf(effect))
  }
}

const kinds: ReadonlySet<EffectKind> = new Set<EffectKind>(['tool', 'remote', 'custom'])

function isDoubt(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'interrupted' && value['restored'] === true
}

/** The name of the call that an effect is an attempt of. */
function callOf(effect: PendingEffect): string {
  if (!kinds.has(effect.kind)) return effect.key
  if (isKind(effect, 'tool')) return requesterOf(effect.key)
  if (!isKind(effect, 'remote')) return effectOf(effect.key)
  const { input } = effect.request
  return `${requesterOf(effect.key)} ${'message' in input ? input.message : input.operation}`
}
