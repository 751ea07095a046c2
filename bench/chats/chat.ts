/**
 * How the baselines talk to a model, in the messages of the model's own side: they keep the list, a chat makes what
 * stands in it. Thin on purpose: it is what one writes by hand around a model, and no library.
 */
import type { Script } from '../jobs/script.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/** What a call gives: the sum of `add`, or the answer of a helper. */
export type Value = number | string

export interface Turn<Message> {
  readonly text: string
  readonly calls: readonly Call[]
  /** The reply, as it goes back with the next request. */
  readonly message: Message
}

export interface Chat<Message> {
  open(instructions: string, task: string): Message[]
  ask(script: Script, messages: readonly Message[], signal?: AbortSignal): Promise<Turn<Message>>
  result(call: Call, value: Value): Message
}
