/** The transports of messages: to a page that we serve, or to an adapter of the user's. */
import { startTimer } from '../kit/index.ts'
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import type { ReportFailure } from './report-once.ts'

export interface Transport {
  send(message: StatelyInspectionEvent): void
  /** Delivers the messages that are left, as far as possible within the grace, and frees all resources. */
  stop(): Promise<void>
}

/** Takes messages: an object of your own, or the `adapter` of an inspector of `@statelyai/inspect`. */
export interface MessageAdapter {
  send(message: StatelyInspectionEvent): void | Promise<void>
  stop?(): void | Promise<void>
}

/** Milliseconds that `stop` gives the other side. */
const grace = 2_000

/** Settles with `promise`, or after the grace; meanwhile the process stays alive. */
export async function withinGrace(promise: Promise<unknown>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>()
  const stopTimer = startTimer(grace, resolve)
  await Promise.race([promise, elapsed])
  stopTimer()
}

export function adapterTransport(adapter: MessageAdapter, report: ReportFailure): Transport {
  return {
    send: (message) => {
      Promise.resolve(adapter.send(message)).catch((cause: unknown) => report(unsent, cause))
    },
    stop: async () => withinGrace(Promise.resolve(adapter.stop?.())),
  }
}

export const unsent = 'The inspector could not send a message'

/** A transport whose code is still loading. */
export function loadingTransport(loading: Promise<Transport>, report: ReportFailure): Transport {
  return {
    send: (message) => {
      loading.then((transport) => transport.send(message)).catch((cause: unknown) => report(unsent, cause))
    },
    stop: async () => (await loading).stop(),
  }
}
