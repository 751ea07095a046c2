/** Most steps of a chart change its context, and then emit the events that tell of the change. */
import type { MachineEvent } from '../contract/events.ts'

interface Enqueue<Change> {
  assign(change: Change): void
  emit(event: MachineEvent): void
}

/** Enqueues the change, and its events after it. */
export function applied<Change>(
  enqueue: Enqueue<Change>,
  { change, events }: { readonly change: Change; readonly events: readonly MachineEvent[] },
): void {
  enqueue.assign(change)
  for (const event of events) enqueue.emit(event)
}
