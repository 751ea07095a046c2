/** The source of an actor in its run (agent, path, delegation): found by a walk up to the root, once per actor. */
import { agentOf, below, isChild, isInChart, type Source } from '../actors/actor-path.ts'
import type { AnyActorRef } from 'xstate'
import { doorOf, hasDoor, type Origin } from '../actors/effects/effect.ts'
import { parentOf } from '../actors/xstate-internals.ts'

const sourceKey = Symbol.for('troupe.source')

/** The source of an actor below the root of a run. */
export function sourceOf(ref: AnyActorRef): Source {
  const known = (ref as { [sourceKey]?: Source })[sourceKey]
  if (known !== undefined) return known
  const parent = parentOf(ref)
  const above = parent === undefined ? undefined : hasDoor(parent) ? originOf(parent) : sourceOf(parent)
  const path = above === undefined ? ref.id : below(above.path, ref.id)
  const source: Source = {
    ref,
    path,
    agent: (above !== undefined && isInChart(above.path) ? undefined : agentOf(ref.id)) ?? above?.agent ?? '',
    delegationId: isChild(ref.id, 'delegation') ? path : above?.delegationId,
  }
  ;(ref as { [sourceKey]?: Source })[sourceKey] = source
  return source
}

function originOf(root: AnyActorRef): (Origin & { readonly agent?: string }) | undefined {
  return doorOf(root).origin
}

/** The actor of a path, while it exists. `root`: the current root agent; actors of a former one are gone. */
export function actorAt(root: AnyActorRef, path: string): AnyActorRef | undefined {
  const { path: base } = sourceOf(root)
  if (path !== base && !path.startsWith(`${base}/`)) return undefined
  const [, ...ids] = path.slice(base.length).split('/')
  return ids.reduce<AnyActorRef | undefined>((actor, id) => childrenOf(actor)[id], root)
}

function childrenOf(actor: AnyActorRef | undefined): Readonly<Record<string, AnyActorRef | undefined>> {
  const snapshot = actor?.getSnapshot() as { children?: Record<string, AnyActorRef> } | undefined
  return snapshot?.children ?? {}
}
