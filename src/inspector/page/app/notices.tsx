/** Says what is not as usual: an outage, a journal that cannot be replayed, agents that have changed. */
import type { VNode } from 'preact'
import { messageOf } from '../connection/failure.ts'
import type { RunSession } from '../connection/run-session.ts'

interface NoticesProps {
  readonly session: RunSession
  /** A summary needs no transitions, and says itself what it lacks. */
  readonly isSummary?: boolean
}

export function Notices({ session, isSummary = false }: NoticesProps): VNode {
  const feed = session.feed.value
  const untold = session.untold.value
  const diverged = session.diverged.value
  const uncharted = session.uncharted.value
  return (
    <div role="status" class="notices">
      {feed.state === 'outage' && (
        <div class="notice bad">
          <p class="said">
            Not current: {feed.message} The entries below are those before; the connection is tried again.
          </p>
          <button type="button" class="button" onClick={() => session.retry()}>
            Try now
          </button>
        </div>
      )}
      {untold !== undefined && !isSummary && (
        <div class="notice">
          <p class="said">
            Without transitions and states: {untold.message} Give the inspector the agents that the run began
            with.
          </p>
        </div>
      )}
      {diverged !== undefined && (
        <div class="notice">
          <p class="said">
            The agents have changed since: entry {diverged.entry + 1} has another {diverged.field} than they
            would ask for today.
          </p>
          <button type="button" class="button" onClick={() => session.model.peek().moveTo(diverged.entry)}>
            Show it
          </button>
        </div>
      )}
      {uncharted !== undefined && feed.state !== 'outage' && (
        <div class="notice">
          <p class="said">The charts could not be loaded: {messageOf(uncharted)}</p>
        </div>
      )}
    </div>
  )
}
