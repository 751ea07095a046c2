/** The path of an actor. A click chooses it. */
import type { VNode } from 'preact'
import type { RunModel } from '../model/run-model.ts'

interface ActorNameProps {
  readonly path: string
  readonly model: RunModel
}

export function ActorName({ path, model }: ActorNameProps): VNode {
  return (
    <button
      type="button"
      class="actor-name said"
      title={`Choose ${path}`}
      aria-pressed={model.path.value === path}
      onClick={() => model.choose(path)}
    >
      {path}
    </button>
  )
}
