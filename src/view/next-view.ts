/**
 * The fold of the events of a run. Each event gives another view, at a cost that does not grow with the run: all that the event
 * does not touch is shared with the view before.
 */
import type { RunEvent } from '../index.ts'
import { withAgentAfter } from './changes/agent.ts'
import { withRunAfter } from './changes/run.ts'
import { emptyView, type RunView } from './contract/run-view.ts'
import { SeenEvents } from './lists/seen-events.ts'

/** The events that each view has seen. */
const seenBy = new WeakMap<RunView, SeenEvents>()

/**
 * Returns the view after one more event: a pure function, for any reducer. It returns the same view for an event that the view
 * has seen, by its `seq`. An event of an unknown type is kept as a part of its agent.
 */
export function nextView(view: RunView, event: RunEvent): RunView {
  const seen = (seenBy.get(view) ?? SeenEvents.none).after(event)
  if (seen === undefined) return view
  const { runId, conversationId, at, cursor } = event
  const begun: RunView = {
    ...view,
    runId,
    ...(conversationId === undefined ? {} : { conversationId }),
    status: view.status === 'pending' ? 'running' : view.status,
    startedAt: view.startedAt ?? at,
    at,
    ...(cursor === undefined ? {} : { cursor }),
  }
  const next = withRunAfter(withAgentAfter(begun, event), event)
  seenBy.set(next, seen)
  return next
}

/** Returns the view of a run after these events. */
export function viewOf(events: Iterable<RunEvent>, view: RunView = emptyView): RunView {
  let last = view
  for (const event of events) last = nextView(last, event)
  return last
}

/** Yields the view after each event of a run, such as `run.events` or a watch. Throws what the events throw. */
export async function* viewsOf(
  events: AsyncIterable<RunEvent>,
  view: RunView = emptyView,
): AsyncGenerator<RunView, void> {
  let last = view
  for await (const event of events) {
    last = nextView(last, event)
    yield last
  }
}
