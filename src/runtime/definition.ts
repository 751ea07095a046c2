/** What every `create…` of an agent gives: a definition. It holds no state and may be used in many troupes. */
import type { ChatModel } from '../actors/chat-model.ts'
import type { Prompt } from '../actors/message.ts'
import type { InferOutput, Schema } from '../actors/schema.ts'
import type { Tool } from '../actors/tool.ts'
import type { Toolset } from '../actors/toolset.ts'
import type { CallOptions, StructuredOutput, SupervisorOptions } from './options.ts'
import type { RunResult } from './result.ts'
import type { Run } from './run.ts'
import type { RunSettings } from './settings.ts'

/** Options that ask for an answer of a shape. */
export interface Shaped<Given extends Schema> {
  readonly structuredOutput: StructuredOutput<Given>
}

export type Pattern = 'react' | 'supervisor'

/** `Options` are those that a run of this agent takes; `Object` is what its `structuredOutput` makes of an answer. */
export interface AgentDefinition<Options extends object = object, Object = unknown> {
  readonly id: string
  readonly description: string
  readonly pattern: Pattern
  readonly instructions: string
  readonly model: ChatModel
  /** Workflows included: to a model they are tools. */
  readonly tools: Readonly<Record<string, Tool>>
  readonly agents: Readonly<Record<string, AgentDefinition>>
  readonly toolset: Toolset
  /** The options that stand on the definition, and their JSON part. */
  readonly options: SupervisorOptions
  readonly settings: RunSettings
  /**
   * Runs to the end, or until only a person can go on, in a troupe of its own that keeps its journal in memory.
   * Rejects with a `ConfigurationError` only; everything else is an `outcome`.
   */
  generate<Given extends Schema>(
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Promise<RunResult<InferOutput<Given>>>
  generate(prompt: Prompt, options?: Options & CallOptions): Promise<RunResult<Object>>
  /** As `generate`, and shows what happens while it happens. */
  stream<Given extends Schema>(
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Run<InferOutput<Given>>
  stream(prompt: Prompt, options?: Options & CallOptions): Run<Object>
}
