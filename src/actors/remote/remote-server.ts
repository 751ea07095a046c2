/** The server of an agent that another system serves, as the effect `remote` reaches it. */
import type { Content } from '../content/content.ts'
import type { JsonValue } from '../values/json.ts'
import type {
  PersonsAnswer,
  RemoteFollowed,
  RemoteQuestion,
  RemoteSent,
  RemoteTask,
} from './remote-effects.ts'

/** A call of a remote agent. */
export interface RemoteCall {
  readonly signal: AbortSignal
  /** Takes the progress of a task. */
  readonly report: (value: JsonValue) => void
}

/** The names of a message: the same in each attempt to send it. */
export interface RemoteMessage {
  readonly id: string
  readonly contextId: string
}

/** Each function rejects with a `TroupeError`; a `RetryableError` is repeated. */
export interface RemoteServer {
  send(message: RemoteMessage & { readonly content: Content }, call: RemoteCall): Promise<RemoteSent>
  answer(
    message: RemoteMessage & {
      readonly task: RemoteTask
      readonly question: RemoteQuestion
      readonly answer: PersonsAnswer
    },
    call: RemoteCall,
  ): Promise<RemoteSent>
  /** Returns the task that the message has begun or reached; `undefined`: it has not arrived, or nothing is known of it. */
  find(
    message: RemoteMessage & { readonly task?: RemoteTask | undefined },
    call: RemoteCall,
  ): Promise<RemoteTask | undefined>
  follow(
    work: { readonly task: RemoteTask; readonly wait: number; readonly answered?: string | undefined },
    call: RemoteCall,
  ): Promise<RemoteFollowed>
  /** A task that has ended is none to cancel, and no error. */
  cancel(task: RemoteTask, call: RemoteCall): Promise<void>
}
