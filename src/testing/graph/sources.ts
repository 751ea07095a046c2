/** What is known of the actors that a machine invokes and spawns, by the name of their source. */
import type { AnyStateMachine } from 'xstate'
import { agentMarkOf } from '../../machines/contract/agent-mark.ts'
import { effectKindOf } from '../../actors/effects/effect.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'

export interface Source {
  /** `undefined` for an actor that is no effect of the library. */
  readonly effect: EffectKind | undefined
  /** It is an agent, whose output is the result of a run. */
  readonly isRun: boolean
  /** It asks a model, or one of its own children does. */
  readonly callsModels: boolean
}

export type Sources = ReadonlyMap<string, Source>

export function sourcesOf(machine: AnyStateMachine): Sources {
  return new Map(logicsOf(machine).map(([name, logic]) => [name, sourceOf(logic, [])]))
}

function sourceOf(logic: unknown, above: readonly unknown[]): Source {
  const effect = effectKindOf(logic)
  const mark = agentMarkOf(logic)
  return {
    effect,
    isRun: mark === 'run',
    callsModels:
      mark !== undefined ||
      effect === 'model' ||
      effect === 'compaction' ||
      effect === 'agent' ||
      hasModels(logic, [...above, logic]),
  }
}

/** `above`: the logic itself, and the machines that it is a child of; one of them may be its own child. */
function hasModels(logic: unknown, above: readonly unknown[]): boolean {
  return (
    isMachine(logic) &&
    logicsOf(logic).some(([, child]) => !above.includes(child) && sourceOf(child, above).callsModels)
  )
}

/** Also a machine that is made by another copy of xstate. */
function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && 'implementations' in logic && 'root' in logic
}

function logicsOf(machine: AnyStateMachine): readonly (readonly [string, unknown])[] {
  return Object.entries(machine.implementations.actors as Readonly<Record<string, unknown>>)
}
