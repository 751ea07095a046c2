/** The effects that a state invokes, by their kinds: what a drawing tells of the outside. */
import type { AnyStateNode } from 'xstate'
import type { EffectKind } from '../effects/effect-names.ts'
import { effectKindOf } from '../effects/effect.ts'

/** An effect that a state invokes. */
export interface InvokedEffect {
  readonly kind: EffectKind
  /** Of an effect of an adapter. */
  readonly name?: string
}

/** By the index of the invoke; `undefined` for any other actor. */
export function invokedEffects(state: AnyStateNode): readonly (InvokedEffect | undefined)[] {
  const { actors } = state.machine.implementations
  const invokes: readonly { readonly src: unknown }[] = [state.config.invoke ?? []].flat()
  return invokes.map(({ src }) => effectOf(typeof src === 'string' ? actors[src] : src))
}

function effectOf(logic: unknown): InvokedEffect | undefined {
  const kind = effectKindOf(logic)
  if (kind === undefined) return undefined
  const { config } = logic as { readonly config?: { readonly name?: unknown } }
  return typeof config?.name === 'string' ? { kind, name: config.name } : { kind }
}

/** `model`, or `custom look-up`: the kind, with the name of an effect of an adapter. */
export function effectText({ kind, name }: InvokedEffect): string {
  return name === undefined ? kind : `${kind} ${name}`
}
