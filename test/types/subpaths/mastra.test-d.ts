/** The interfaces of Mastra's documents: options of these shapes are taken, and hooks are given these contexts. */
import type { Message, Scorer, ToolMap, WorkflowMap } from 'troupe'
import {
  Agent,
  createScorer,
  createTool,
  LibSQLStore,
  Memory,
  type AgentChunk,
  type AgentConfig,
  type AgentStream,
  type CompletionConfig,
  type CompletionRunResult,
  type DelegationCompleteContext,
  type DelegationStartContext,
  type DynamicArgument,
  type IterationCompleteContext,
  type MastraModelConfig,
  type MemoryOfRun,
  type NetworkOptions,
  type StepResult,
  type StopCondition,
  type StreamOptions,
} from 'troupe/mastra'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

/** 000 4.1. */
interface OptionsOfNetwork {
  agents?: Record<string, Agent>
  workflows?: WorkflowMap
  tools?: ToolMap
  completion?: { scorers: Scorer[]; strategy: 'all' | 'any' }
  maxIterations?: number
  onIterationComplete?: (context: ContextOfIteration) => Promise<ResultOfIteration>
  memory: MemoryOfRun
}

/** 000 4.2. */
interface OptionsOfCompletion {
  scorers: Scorer[]
  strategy: 'all' | 'any'
  continueOnFail?: boolean
  feedbackToLLM?: boolean
}

/** 002 4.1. */
interface OptionsOfStream {
  maxSteps?: number
  stopWhen?: StopCondition | StopCondition[]
  memory?: MemoryOfRun
  threadId?: string
  resourceId?: string
  toolCallConcurrency?: number
  onStepFinish?: (step: StepResult) => void
  onFinish?: (result: { text: string }) => void
}

/** 003 feature 1. */
interface OptionsOfScoring {
  scorers: Scorer[]
  strategy?: 'all' | 'any'
  continueOnFail?: boolean
  feedbackToLLM?: boolean
  timeout?: number
  parallel?: boolean
  onComplete?: (results: CompletionRunResult) => void | Promise<void>
}

/** 003 feature 2. */
interface ContextOfIteration {
  iteration: number
  maxSteps?: number
  messages: Message[]
  originalTask: string
  currentStep: {
    text: string
    toolCalls: { name: string }[]
    toolResults: { name: string }[]
    finishReason: string
  }
  allSteps: StepResult[]
  subAgentsInvoked: string[]
  threadId?: string
  resourceId?: string
  runId: string
}

interface ResultOfIteration {
  continue: boolean
  feedback?: string
}

/** 003 feature 3. */
interface ContextOfSubagents {
  includeConversationHistory?: boolean
  filterInternalMessages?: boolean
  maxMessages?: number
  messageFilter?: (message: Message) => boolean
}

/** 003 feature 4. */
interface ContextOfStart {
  agentName: string
  prompt: string
  args: { prompt: string; threadId?: string; instructions?: string; maxSteps?: number }
  iterationContext: ContextOfIteration
}

interface ResultOfStart {
  proceed?: boolean
  modifiedPrompt?: string
  rejectionReason?: string
}

interface ContextOfEnd {
  agentName: string
  result: { text: string; subAgentThreadId?: string }
  duration: number
  iterationContext: ContextOfIteration
  bail: () => void
}

/** 003 feature 6. */
type ChunkOfSupervisor =
  | { type: 'delegation-start'; payload: { agentName: string; prompt: string } }
  | { type: 'delegation-end'; payload: { agentName: string; duration: number } }
  | { type: 'delegation-bail'; payload: { agentName: string } }
  | { type: 'delegation-rejected'; payload: { agentName: string; reason: string } }
  | { type: 'iteration-start'; payload: { iteration: number } }
  | { type: 'iteration-end'; payload: { iteration: number; continue: boolean } }
  | { type: 'iteration-feedback'; payload: { message: string } }
  | { type: 'scoring-start'; payload: { scorerIds: string[] } }
  | { type: 'scorer-result'; payload: { id: string; passed: boolean } }
  | { type: 'scoring-complete'; payload: { complete: boolean; reason?: string } }

/** 003 part 4. */
interface OptionsOfStreamToBe<Output = undefined> extends OptionsOfStream {
  instructions?: string
  structuredOutput?: NonNullable<StreamOptions<Output>['structuredOutput']>
  completion?: OptionsOfScoring
  onIterationComplete?: (context: ContextOfIteration) => Promise<ResultOfIteration>
  onDelegationStart?: (context: ContextOfStart) => Promise<ResultOfStart | void>
  onDelegationComplete?: (context: ContextOfEnd) => Promise<void>
  bailStrategy?: 'first' | 'last'
}

interface ConfigOfAgent {
  id: string
  name: string
  instructions: string | DynamicArgument<string>
  model: MastraModelConfig
  agents?: DynamicArgument<Record<string, Agent>>
  workflows?: DynamicArgument<WorkflowMap>
  tools?: DynamicArgument<ToolMap>
  memory?: DynamicArgument<Memory>
  subAgentContext?: ContextOfSubagents
}

declare const agent: Agent
declare const given: {
  readonly network: OptionsOfNetwork
  readonly completion: OptionsOfCompletion
  readonly scoring: OptionsOfScoring
  readonly stream: OptionsOfStream
  readonly streamToBe: OptionsOfStreamToBe
  readonly config: ConfigOfAgent
}

export function options(): void {
  const network: NetworkOptions = given.network
  const completion: CompletionConfig = given.completion
  const scoring: CompletionConfig = given.scoring
  const stream: StreamOptions = given.stream
  const streamToBe: StreamOptions = given.streamToBe
  const config: AgentConfig = given.config
  void [network, completion, scoring, stream, streamToBe, config]
}

export function contexts(
  start: DelegationStartContext,
  end: DelegationCompleteContext,
  iteration: IterationCompleteContext,
): void {
  const started: ContextOfStart = start
  const ended: ContextOfEnd = end
  const iterated: ContextOfIteration = iteration
  void [started, ended, iterated]
}

export async function chunks(stream: AgentStream): Promise<void> {
  for await (const chunk of stream.fullStream) {
    expectType<AgentChunk>()(chunk)
    if (chunk.type === 'text-delta') expectType<string>()(chunk.payload.text)
    if (chunk.type === 'tool-call') expectType<string>()(chunk.payload.name)
    if (chunk.type === 'tool-output') expectType<unknown>()(chunk.payload.output.payload)
    // @ts-expect-error: there is no such chunk
    if (chunk.type === 'text') return
  }
  expectType<string>()(await stream.text)
}

type Named<Type extends AgentChunk['type']> = Extract<AgentChunk, { type: Type }>
type Shown<Chunk> = Chunk extends { type: AgentChunk['type'] & (infer Type extends AgentChunk['type']) }
  ? Named<Type>['payload'] extends (Chunk & { payload: unknown })['payload']
    ? true
    : Type
  : never

declare const shown: Shown<ChunkOfSupervisor>

/** Each chunk of the proposal has at least the fields that it names. */
export const isShown: true = shown

export async function programs(): Promise<void> {
  const loose = createTool({ id: 'loose', execute: async (input) => String(input.any.field) })
  const typed = createTool({
    id: 'typed',
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => {
      expectType<number>()(n)
      // @ts-expect-error: a number
      const text: string = n
      return text
    },
  })
  const scorer = createScorer({ id: 's', name: 'S' }).generateScore(async ({ output }) =>
    output.length > 1 ? 1 : 0,
  )
  const made = new Agent({
    model: 'openai/gpt-5-mini',
    tools: { loose, typed },
    memory: new Memory({ storage: new LibSQLStore({ url: 'file:a.db' }) }),
  })
  const { object } = await made.generate('Go', {
    structuredOutput: { schema: z.object({ city: z.string() }) },
  })
  expectType<{ city: string } | undefined>()(object)
  expectType<undefined>()((await agent.generate('Go')).object)
  await agent.network('Go', { completion: { scorers: [scorer] } })
  // @ts-expect-error: a scorer, and not what makes one
  await agent.stream('Go', { completion: { scorers: [createScorer({ id: 's' })] } })
  // @ts-expect-error: there is no such option
  await agent.stream('Go', { maxStep: 3 })
  // @ts-expect-error: an agent has no such option
  void new Agent({ model: 'openai/gpt-5-mini', instruction: 'Go' })
  // @ts-expect-error: the hook answers with an object
  await agent.stream('Go', { onIterationComplete: () => true })
}
