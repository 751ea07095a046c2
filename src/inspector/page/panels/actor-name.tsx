/** The path of an actor. A click chooses it. */
import { Fragment, type VNode } from 'preact'

/** One actor is the chosen one. */
interface Choice {
  readonly path: { readonly value: string }
  choose(path: string): void
}

interface ActorNameProps {
  readonly path: string
  /** The actors that it is among. */
  readonly model: Choice
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
      {path.split('/').map((part, index) => (
        <Fragment key={index}>
          {index > 0 && '/'}
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </button>
  )
}
