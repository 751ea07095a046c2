/** The key of the deltas that belong together: those of a message and type, or of one call. */
import type { StreamedEvent } from '../../runtime/handle/run-event.ts'

export function deltaKey(event: StreamedEvent): string {
  switch (event.type) {
    case 'tool-call-delta':
    case 'tool-progress':
      return `${event.type} ${event.payload.toolCallId}`
    case 'text-delta':
    case 'reasoning-delta':
      return event.type
  }
}
