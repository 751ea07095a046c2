/** What can happen to the children of a think-act loop. */
import type { AnyMachineSnapshot } from 'xstate'
import { z } from 'zod'
import { createTool } from 'troupe'
import type { ExternalEvent, Failure, Outcome } from 'troupe/testing'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import type { EffectInput, EffectOutcome, HookOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import type { Message, ToolCall } from '../../../src/actors/message.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import type { AgentInput, AgentProfile, ChildHeldEvent } from '../../../src/machines/contract/agent.ts'
import type { SayEvent, Saying } from '../../../src/machines/contract/sayings.ts'
import type {
  CompactionOutput,
  CompletionOutput,
  DelegationOutput,
  ScreeningOutput,
  ToolCallOutput,
} from '../../../src/machines/contract/reports.ts'
import type { ScreeningInput } from '../../../src/machines/screening.ts'
import type { LoopContext } from '../../../src/machines/loop/changes/context.ts'
import { failed, fails, failsForNow, fires, profile, timesOut, toolset, hooksOf } from './support.ts'

export const shaped = {
  responseFormat: { name: 'answer', schema: { type: 'object' } },
  hooks: { validateObject: 'agent' },
} as const

/** Two processors of each kind: so that one can throw, or refuse, before the other is asked. */
export const processed = {
  processors: { input: ['in-1', 'in-2'], output: ['out-1', 'out-2'], stream: [] },
  hooks: { processInput: 'agent', processOutput: 'agent' },
} as const

/** An agent that is made for each run: blank before. */
export const dynamic = {
  dynamic: ['instructions', 'model', 'tools', 'agents'],
  instructions: '',
  model: 'dynamic/dynamic',
  toolset: Toolset.of({}),
} as const

/** Caps stand over the defaults one by one. */
type More = Partial<Omit<AgentProfile, 'caps'>> & { readonly caps?: Partial<AgentProfile['caps']> }

export function loopInput(more: More = {}): AgentInput {
  const merged = { ...profile, ...more, caps: { ...profile.caps, ...more.caps } }
  return {
    profile: merged,
    runId: 'run',
    path: 'lead',
    task: 'Write.',
    messages: AppendLog.of([
      { role: 'system', content: 'Lead.' },
      { role: 'user', content: 'Write.' },
    ]),
    opening: { history: [], addedInstructions: [] },
    depth: 0,
    maxSteps: merged.maxSteps,
    threadId: undefined,
    resourceId: undefined,
  }
}

export const longModel = 'scripted/long'

/** An agent whose conversation is longer than its share of the window, at each call. */
export function longInput(more: More = {}): AgentInput {
  const compaction = { window: 1_000_000, at: 0.000_001, by: 'own' } as const
  return { ...loopInput({ model: longModel, compaction, ...more }), messages: longConversation }
}

export const longConversation = AppendLog.of<Message>([
  { role: 'system', content: 'Lead.' },
  { role: 'assistant', content: 'Earlier.' },
  { role: 'user', content: 'Write.' },
])

export const tooLong: Failure = {
  name: 'is too long',
  error: { name: 'TerminalError', code: 'CONTEXT_LENGTH_EXCEEDED', message: 'too long' },
}

/** The replies that matter where the conversation is long. */
export function longReplies(...calls: readonly ToolCall[]): Outcome<EffectOutcome<'model'>>[] {
  const calling = reply('calls', { toolCalls: [...calls], finishReason: 'tool-calls' })
  return [answers, ...(calls.length === 0 ? [] : [calling]), tooLong, failsForNow, overBudget]
}

export function reply(name: string, more: Partial<EffectOutcome<'model'>>): Outcome<EffectOutcome<'model'>> {
  const value: EffectOutcome<'model'> = {
    text: '',
    toolCalls: [],
    finishReason: 'stop',
    usage: noUsage,
    ...more,
  }
  return { name, value }
}

const toolCall: ToolCall = { id: 'c1', name: 'plain', args: { q: 'x' } }
export const delegationCall: ToolCall = {
  id: 'c2',
  name: 'agent-researcher',
  args: { prompt: 'Find facts.' },
}

const overBudget: Failure = {
  name: 'is over budget',
  error: { name: 'BudgetExceededError', code: 'BUDGET_EXCEEDED', message: 'The budget is used up.' },
}

export const lacksUsage: Failure = {
  name: 'lacks usage',
  error: { name: 'TroupeError', code: 'USAGE_UNKNOWN', message: 'The usage is unknown.' },
}

const answers = reply('answers', { text: 'The answer.' })

/** An agent with a tool in the background. Its model has less to say, or there would be no end of paths. */
export const behindTool = {
  model: 'scripted/behind',
  runsBackground: true,
  toolset: Toolset.of({
    plain: createTool({
      id: 'plain',
      description: 'Looks something up.',
      inputSchema: z.object({ q: z.string() }),
      background: { concurrency: 1 },
      execute: () => 'found',
    }),
  }),
} as const

/** The replies that matter where calls are at work in the background. */
export function briefReplies(calls: ToolCall[]): Outcome<EffectOutcome<'model'>>[] {
  return [answers, reply('delegates', { toolCalls: calls, finishReason: 'tool-calls' }), fails]
}

export function replies(calls: readonly ToolCall[][]): Outcome<EffectOutcome<'model'>>[] {
  return [
    answers,
    ...calls.map((toolCalls) =>
      reply(`calls ${toolCalls.map((call) => call.name).join(' and ')}`, {
        toolCalls,
        finishReason: 'tool-calls',
      }),
    ),
    reply('is empty', {}),
    reply('is cut off', { text: 'The ans', finishReason: 'length' }),
    reply('refuses', { text: 'No.', finishReason: 'refusal' }),
    reply('is filtered', { finishReason: 'content-filter' }),
    failsForNow,
    fails,
    overBudget,
    lacksUsage,
  ]
}

export const editedModel = 'scripted/edited'

/** An agent whose conversation has a long result, which is cleared once another reply follows it. */
export function editedInput(more: More = {}): AgentInput {
  const contextEditing = { above: 1, keep: 1, clear: ['results'], except: [], atLeast: 0 } as const
  const calling: ToolCall = { id: 'c0', name: 'plain', args: { q: 'x' } }
  return {
    ...loopInput({ model: editedModel, contextEditing, ...more }),
    messages: AppendLog.of<Message>([
      { role: 'system', content: 'Lead.' },
      { role: 'user', content: 'Write.' },
      { role: 'assistant', content: '', toolCalls: [calling] },
      { role: 'tool', toolCallId: 'c0', toolName: 'plain', content: 'It goes on and on. '.repeat(20) },
    ]),
  }
}

/** Two models in a row. They have less to say, or there would be no end of paths. */
export const inARow = {
  model: 'scripted/first',
  fallbacks: { models: ['scripted/second'], on: ['error', 'refusal'] },
} as const

/** The replies of the models in a row; `undefined`: the model is another one. */
export function rowReplies({
  model,
}: {
  readonly model: string
}): Outcome<EffectOutcome<'model'>>[] | undefined {
  if (model !== inARow.model && !inARow.fallbacks.models.some((next) => next === model)) return undefined
  return [
    answers,
    reply('is empty', {}),
    reply('refuses', { text: 'No.', finishReason: 'refusal' }),
    failsForNow,
    fails,
  ]
}

const passes = { next: 2, failure: null, tripwire: null }
const firstThrows = { next: 1, failure: failed, tripwire: null }
const firstRefuses = {
  next: 1,
  failure: null,
  tripwire: { processor: 'out-1', reason: 'secret', retry: false },
}

/** Replies of an agent with output processors, which may have had something to say of them while they came. */
export const screenedReplies: readonly Outcome<EffectOutcome<'model'>>[] = [
  answers,
  reply('calls plain', { toolCalls: [toolCall], finishReason: 'tool-calls' }),
  reply('is refused as it comes', {
    text: 'The',
    screening: { failures: [], tripwire: firstRefuses.tripwire },
  }),
  reply('two throw as it comes', { text: 'The answer.', screening: { failures: [failed, failed] } }),
]

export const callsTool = [toolCall]
export const callsTwo = [toolCall, { ...toolCall, id: 'c3' }]

export function delegated(
  outcome: DelegationOutput['record']['outcome'],
  more: Partial<DelegationOutput['record']> = {},
): Outcome<DelegationOutput> {
  const record = {
    id: 'lead/delegation:1.1',
    agent: 'researcher',
    outcome,
    text: 'facts',
    usage: noUsage,
    toolResults: [],
    ...more,
  }
  const value: DelegationOutput = { kind: 'delegation', record, content: 'facts', usage: {} }
  return { name: `is ${outcome}`, value }
}

export const childOutcomes = {
  toolCall: [
    { name: 'succeeds', value: { kind: 'tool', outcome: 'succeeded', value: 'found', content: 'found' } },
    fails,
  ],
  delegation: [delegated('succeeded'), delegated('bailed'), delegated('failed', { error: failed }), fails],
  completion: [
    {
      name: 'passes',
      value: { kind: 'completion', iteration: 1, outcome: 'passed', results: [], feedback: '' },
    },
    {
      name: 'is unmet',
      value: { kind: 'completion', iteration: 1, outcome: 'failed', results: [], feedback: 'More.' },
    },
    fails,
  ],
  screening: ({ sayings }: ScreeningInput) => [
    {
      name: 'passes',
      value: {
        kind: 'screening',
        screened: sayings.map(({ id, message }) => ({
          id,
          outcome: 'passed',
          messages: [{ role: 'user', content: message, internal: 'said' }],
        })),
      },
    },
    {
      name: 'refuses',
      value: {
        kind: 'screening',
        screened: sayings.map(({ id }) => ({ id, outcome: 'refused', reason: 'secret' })),
      },
    },
    fails,
  ],
  compaction: [
    {
      name: 'compacts',
      value: { kind: 'compaction', outcome: 'compacted', messages: longConversation, usage: noUsage },
    },
    {
      name: 'has no summary',
      value: { kind: 'compaction', outcome: 'failed', error: failed, usage: noUsage },
    },
    {
      name: 'is over budget',
      value: { kind: 'compaction', outcome: 'failed', error: overBudget.error, usage: noUsage },
    },
    fails,
  ],
  timer: [fires],
} satisfies {
  readonly toolCall: readonly Outcome<ToolCallOutput>[]
  readonly delegation: readonly Outcome<DelegationOutput>[]
  readonly completion: readonly Outcome<CompletionOutput>[]
  readonly compaction: readonly Outcome<CompactionOutput>[]
  readonly screening: (input: ScreeningInput) => readonly Outcome<ScreeningOutput>[]
  readonly timer: readonly Outcome<null>[]
}

const { tools, agents } = toolset.description
const configured: HookOutcome<'configure'> = {
  instructions: 'Be brief.',
  model: 'scripted/other',
  tools: tools.map((tool) => ({ ...tool })),
  agents,
}

export const hookOutcomes = hooksOf({
  onStepFinish: [{ name: 'returns', value: null }, fails],
  onFinish: [{ name: 'returns', value: null }, fails],
  validateObject: [
    { name: 'has the shape', value: { problem: null, object: { a: 1 } } },
    { name: 'has another shape', value: { problem: 'a is missing', object: null } },
    fails,
  ],
  approvePlan: [{ name: 'asks', value: true }, { name: 'does not ask', value: false }, fails],
  stopWhen: [{ name: 'says stop', value: true }, { name: 'says go on', value: false }, fails],
  configure: [
    {
      name: 'makes it',
      value: configured,
    },
    fails,
  ],
  processInput: [
    { name: 'passes', value: { messages: null, ...passes } },
    { name: 'changes', value: { messages: [{ role: 'user', content: 'Write well.' }], ...passes } },
    { name: 'throws', value: { messages: null, ...firstThrows } },
    { name: 'refuses', value: { messages: null, ...firstRefuses } },
    timesOut,
    fails,
  ],
  processOutput: [
    { name: 'passes', value: { text: 'The answer.', ...passes } },
    { name: 'changes', value: { text: 'Another.', ...passes } },
    { name: 'silences', value: { text: '', ...passes } },
    { name: 'throws', value: { text: 'The answer.', ...firstThrows } },
    { name: 'refuses', value: { text: 'The answer.', ...firstRefuses } },
    {
      name: 'wants another',
      value: {
        text: 'The answer.',
        ...firstRefuses,
        tripwire: { ...firstRefuses.tripwire, retry: true },
      },
    },
    timesOut,
    fails,
  ],
  handoffFilter: [{ name: 'filters', value: [{ role: 'user', content: 'Write.' }] }, fails],
  onIterationComplete: [
    { name: 'has no objection', value: { continue: true } },
    { name: 'objects', value: { continue: true, feedback: 'More.' } },
    { name: 'ends', value: { continue: false } },
    { name: 'ends with feedback', value: { continue: false, feedback: 'Finish.' } },
    fails,
  ],
})

/** An agent that may hand its conversation to another. Its model has less to say, or there would be no end of paths. */
export const handing = {
  model: 'scripted/handing',
  toolset: toolset.handingTo({ billing: { id: 'billing', description: 'Knows invoices.' } }),
  handoffs: { max: undefined },
} as const

/** A thread goes on with the agent that held its conversation last. */
export const keeping = {
  ...handing,
  model: 'scripted/keeping',
  handoffs: { max: undefined, keep: true },
} as const

/** Its model is called where the thread is with it: nothing else matters here. */
export const keepingReplies: readonly Outcome<EffectOutcome<'model'>>[] = [answers]

/** It has been handed as many conversations as may be. */
export function cappedInput(more: More = {}): AgentInput {
  const input = loopInput({ ...handing, ...more })
  return { ...input, opening: { ...input.opening, line: { handoffs: 5, maxHandoffs: 5, notice: 'Go on.' } } }
}

const transfer: ToolCall = { id: 'c8', name: 'transfer-to-billing', args: { reason: 'money' } }

/** Replies that hand the conversation on, alone or beside calls that the step waits for. */
export function handingReplies(
  ...beside: readonly (readonly ToolCall[])[]
): Outcome<EffectOutcome<'model'>>[] {
  const replying = (name: string, toolCalls: readonly ToolCall[]) =>
    reply(name, { toolCalls: [...toolCalls], finishReason: 'tool-calls' })
  return [
    answers,
    replying('hands off', [transfer]),
    replying('hands off twice', [transfer, { ...transfer, id: 'c9' }]),
    ...beside.map((calls, index) => replying(`hands off beside calls ${index + 1}`, [...calls, transfer])),
  ]
}

/** What the store answers a `memory` effect with. */
export const memoryOutcomes = (asked: EffectInput<'memory'>): readonly Outcome<EffectOutcome<'memory'>>[] => {
  if (asked.operation === 'save') return [{ name: 'is kept', value: null }, fails]
  if (asked.operation === 'partial') {
    return [
      { name: 'has no text', value: null },
      { name: 'has text', value: { partialText: 'Tides fo' } },
      fails,
    ]
  }
  const recalled = { messages: [], workingMemory: 'Likes tides.' }
  return [
    { name: 'remembers', value: recalled },
    ...(asked.holder === true
      ? [{ name: 'remembers that billing goes on', value: { ...recalled, holder: 'billing' } }]
      : []),
    fails,
  ]
}

/** An agent that remembers, with what it needs for that. */
export function rememberingInput(more: More = {}): AgentInput {
  const memory = { lastMessages: 4, workingMemory: {} }
  return { ...loopInput({ memory, maxSteps: 1, ...more }), threadId: 'thread', resourceId: 'user' }
}

/** An agent that people speak to: `sayEvents` has events for its suite alone. */
export function spokenTo(input: AgentInput, waiting: readonly Saying[] = []): AgentInput {
  if (waiting.length === 0) return { ...input, runId: spokenRun }
  const line = { handoffs: 1, maxHandoffs: 5, sayings: waiting }
  return { ...input, runId: spokenRun, opening: { ...input.opening, line } }
}

const spokenRun = 'spoken to'

/** One message fewer than may wait. */
export const manySayings: readonly Saying[] = Array.from({ length: 7 }, (_, index) => ({
  id: `say:${index}`,
  message: `And ${index}.`,
}))

/** One input processor: it checks the messages of people too. */
export const screening = {
  processors: { input: ['in-1'], output: [], stream: [] },
  hooks: { processInput: 'agent' },
} as const

export const screenedModel = 'scripted/screened'

/** Its model has less to say, or there would be no end of paths. */
export function screened(more: More = {}): AgentInput {
  return spokenTo(loopInput({ ...screening, model: screenedModel, ...more }))
}

export const speaks = 'a person speaks'

/** A first message, and those at the cap. */
export function sayEvents(snapshot: AnyMachineSnapshot): ExternalEvent<SayEvent>[] {
  const { input, background } = snapshot.context as LoopContext
  const waiting = background.sayings.length + background.passed.length
  if (input.runId !== spokenRun || (waiting > 0 && waiting < manySayings.length)) return []
  return [{ name: speaks, event: { type: 'say', saying: { id: 'say:next', message: 'Wait.' } } }]
}

export function heldEvents(snapshot: AnyMachineSnapshot, children = 1): ExternalEvent<ChildHeldEvent>[] {
  const { live, background } = snapshot.context as LoopContext
  return [...live, ...background.live]
    .slice(0, children)
    .map(({ child, state }) =>
      state === 'running'
        ? { name: `${child} is held`, event: { type: 'child.held', child } }
        : { name: `${child} is released`, event: { type: 'child.released', child } },
    )
}

function screeningKey({ screening }: LoopContext): unknown {
  if (screening === undefined) return null
  return [screening.next, screening.text === '', screening.failures.length, screening.tripwire?.retry]
}

/** Of an agent whose conversation is never edited: nothing. */
function editedKey({ messages, input }: LoopContext): readonly unknown[] {
  if (input.profile.contextEditing === undefined) return []
  return [messages.toArray().some(({ content }) => JSON.stringify(content).startsWith('"Cleared'))]
}

/** Of an agent with one model: nothing. */
function rowKey({ attempts, input }: LoopContext): readonly unknown[] {
  return input.profile.fallbacks === undefined ? [] : [attempts.fallen]
}

/** Of an agent whose conversation is never summarised: nothing. */
function overflowKey({ attempts, measured, input }: LoopContext): readonly unknown[] {
  return input.profile.compaction === undefined ? [] : [attempts.overflows, measured.scale > 1]
}

function kindsOf(live: LoopContext['live']): unknown {
  return live.map(({ child, state }) => [child.slice(0, child.indexOf(':')), state])
}

/** Where no model call follows but a last one, most of what came before makes no difference. */
export function spentKey(
  { value, status, context }: AnyMachineSnapshot,
  more: unknown = null,
): string | undefined {
  const { bail, background, ending, ledger, live, reply, said, step } = context as LoopContext
  if (ending.reason !== 'budget') return undefined
  return JSON.stringify([
    value,
    status,
    [live, background.live].map(kindsOf),
    reply === undefined || ledger.steps.length >= step,
    step === 0,
    bail !== undefined,
    background.notices.length > 0 || background.sayings.length > 0,
    said.text === '',
    screeningKey(context as LoopContext),
    ending.error?.code,
    ...rowKey(context as LoopContext),
    ...editedKey(context as LoopContext),
    ...overflowKey(context as LoopContext),
    more,
  ])
}

/** Value, counters and flags: enough to tell two states of a loop apart, and finite. */
export function loopKey(snapshot: AnyMachineSnapshot): string {
  const context = snapshot.context as LoopContext
  const shortened = spentKey(snapshot)
  if (shortened !== undefined) return shortened
  return JSON.stringify([
    snapshot.value,
    snapshot.status,
    context.step,
    context.attempts.failures,
    context.attempts.repairs,
    context.attempts.refusals,
    ...rowKey(context),
    ...editedKey(context),
    ...overflowKey(context),
    screeningKey(context),
    context.reply?.finishReason,
    context.reply?.text === '',
    context.calls.length,
    context.settled.toArray().filter(({ child }) => child.startsWith('handoff:')).length,
    context.started,
    context.live.map(({ state }) => state),
    context.background.live.map(({ state }) => state),
    context.background.queue.length,
    context.background.notices.length > 0,
    context.measured.repetition.times >= (context.input.profile.maxRepeatedCalls ?? Number.POSITIVE_INFINITY),
    context.verdict.review,
    context.verdict.scoring?.outcome,
    context.bail !== undefined,
    context.ending,
    ...(context.input.runId === spokenRun
      ? [context.background.sayings.length, context.background.passed.length]
      : []),
  ])
}
