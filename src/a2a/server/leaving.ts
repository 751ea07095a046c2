/** Whether the client of a request is still there. */
import type { ServerCallContext } from '@a2a-js/sdk/server'

const leaving = new WeakMap<ServerCallContext, AbortSignal>()

/** `signal` fires when the client of the request has left. */
export function noteLeaving(context: ServerCallContext, signal: AbortSignal): void {
  leaving.set(context, signal)
}

/** `undefined`: the transport does not tell. */
export function leavingOf(context: ServerCallContext): AbortSignal | undefined {
  return leaving.get(context)
}
