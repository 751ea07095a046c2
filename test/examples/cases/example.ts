/** A run of an example in this process: its agent with the scripted replies of its model. */
import type { AnyAgent, AwaitedSignal, ChatModel, RunSignal, Troupe } from 'troupe'
import type { Script } from '../../../examples/support/scripted-server.ts'

/** A question, as each wire has it. */
export type Asked = Pick<AwaitedSignal, 'toolCallId' | 'payload'>

export interface Example {
  readonly name: string
  readonly create: (model: ChatModel) => AnyAgent
  readonly script: Script
  readonly task: string
  readonly outcome: string
  /** The number of model calls. */
  readonly requests: number
  /** What its troupe is told before. */
  readonly configure?: (troupe: Troupe) => Promise<void>
  /** The answer to a question of the run. Default: an approval. */
  readonly answer?: (question: Asked) => RunSignal
  /** After the run. */
  readonly close?: () => Promise<void>
}
