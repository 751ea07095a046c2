/** A troupe in which everything that may happen does happen, driven by a list of choices; 0 is always the tame one. */
import type { AnyActorRef } from 'xstate'
import { z } from 'zod'
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  memoryStore,
  RetryableError,
  SignalError,
  StoreError,
  type AgentDefinition,
  type AgentOptions,
  type ChatModel,
  type Clock,
  type FinalResult,
  type HandoffFilterContext,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
  type ProcessOutputContext,
  type Replay,
  type Run,
  type RunEvent,
  type ToolCall,
  type Troupe,
  type TroupeConfig,
  type MemoryStorage,
} from 'troupe'
import { systemEnvironment, type Environment } from '../../src/runtime/environment.ts'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { AgentsSeen } from './agents-seen.ts'

export interface RandomRun {
  readonly troupe: Troupe
  readonly run: Run
  readonly result: FinalResult
  readonly events: readonly RunEvent[]
  /** As one who read along saw it, with what was streamed. */
  readonly along: readonly RunEvent[]
  readonly replay: Replay
  readonly states: readonly string[]
  readonly replayedStates: readonly string[]
  /** Effects performed while the journal was replayed. */
  readonly performedInReplay: number
  /** What an observer has seen that must not be: see `AgentsSeen`. */
  readonly faultsOfWork: readonly string[]
  readonly modelCallsAfterEnd: number
  /** The budget's limit of model calls, and how many were made that count. */
  readonly maxModelCalls: number
  readonly modelCalls: number
}

export const maxSteps = 3

/** Runs once with these choices; when they are used up, everything goes well. */
export async function runRandomly(choices: readonly number[], store = memoryStore()): Promise<RandomRun> {
  let position = 0
  let performed = 0
  let hasEnded = false
  let modelCallsAfterEnd = 0
  let modelCalls = 0
  const pick = (options: number): number => (choices[position++] ?? 0) % options

  /** Lets others go first, so that outcomes land in every order. */
  const wait = async (): Promise<void> => {
    for (let turns = pick(4); turns > 0; turns--) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  const model = (modelId: string, callables: readonly string[]): ChatModel => ({
    provider: 'random',
    modelId,
    async generate(request, { signal, onDelta }) {
      performed++
      if (hasEnded) modelCallsAfterEnd++
      if (request.toolChoice === 'auto') modelCalls++
      const choice = pick(12)
      await wait()
      switch (choice) {
        case 1:
        case 2:
        case 3:
        case 4:
          return calls(request, callables, pick)
        case 5:
          onDelta?.({ type: 'reasoning', text: 'hm' })
          onDelta?.({ type: 'text', text: 'an ' })
          throw new RetryableError('busy')
        case 6:
          onDelta?.({ type: 'text', text: 'bro' })
          throw new Error('broken')
        case 7:
          return reply({ text: '' })
        case 8:
          return reply({ text: 'cut', finishReason: 'length' })
        case 9:
          onDelta?.({ type: 'text', text: 'an' })
          return new Promise<ModelReply>((_, reject) => {
            // It hangs until it is aborted; the watchdog of the test cancels the run.
            signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
          })
        case 10:
          return reply({ text: 'no', finishReason: 'refusal' })
        default:
          onDelta?.({ type: 'text', text: 'an ' })
          onDelta?.({ type: 'text', text: 'answer' })
          return reply({ text: 'an answer' })
      }
    },
  })

  const work = async (): Promise<string> => {
    performed++
    const choice = pick(5)
    await wait()
    if (choice === 3) throw new RetryableError('not now')
    if (choice === 4) throw new Error('secret')
    return 'done'
  }
  const inputSchema = z.object({ q: z.string() })
  const description = 'Does something.'
  const tools = {
    plain: createTool({ id: 'plain', description, inputSchema, execute: work }),
    guarded: createTool({ id: 'guarded', description, inputSchema, requireApproval: true, execute: work }),
    patient: createTool({
      id: 'patient',
      description,
      inputSchema,
      execute: (_input, { resumeData, suspend }) => (resumeData === undefined ? suspend({ ask: 1 }) : work()),
    }),
    // Only some runs have it: supervisors delegate in the background to agents that have it.
    ...(pick(4) === 1
      ? {
          slow: createTool({
            id: 'slow',
            description,
            inputSchema,
            background: { concurrency: 1 + pick(2) },
            requireApproval: pick(2) === 1,
            execute: work,
          }),
        }
      : {}),
  }
  const callTools = Object.keys(tools)
  const delegates = ['agent-manager', 'agent-worker']
  const hook = async (): Promise<number> => {
    performed++
    const choice = pick(8)
    await wait()
    if (choice === 7) throw new Error('the hook broke')
    return choice
  }
  const delegation = {
    timeout: 1_000_000,
    onDelegationStart: async () => {
      const choice = await hook()
      if (choice === 1) return { proceed: false, rejectionReason: 'no' }
      return choice === 2 ? { modifiedPrompt: 'other' } : undefined
    },
    onDelegationComplete: async ({ bail }: { bail(): void }) => {
      const choice = await hook()
      if (choice === 1 || choice === 3) bail()
      return choice === 2 ? { feedback: 'more' } : undefined
    },
  }
  /** Asked before anything is recalled or saved. */
  const threads: MemoryStorage['threads'] = async (filter) => {
    performed++
    const choice = pick(8)
    await wait()
    if (choice === 7) throw new Error('the store broke')
    return store.memory.threads(filter)
  }
  const memory = pick(2) === 0
  /** Only some runs have them, or the others would hardly get anywhere. */
  const processors: Pick<AgentOptions, 'inputProcessors' | 'outputProcessors' | 'maxProcessorRetries'> =
    pick(4) !== 1
      ? {}
      : {
          inputProcessors: [
            {
              id: 'input',
              async processInput({ messages, abort }) {
                const choice = await hook()
                if (choice === 1) abort('not this')
                return choice === 2 ? [...messages, { role: 'user', content: 'be brief' }] : undefined
              },
            },
          ],
          outputProcessors: [
            {
              id: 'parts',
              processOutputStream({ part, abort }) {
                const choice = pick(20)
                if (choice === 19) abort('no such part', { retry: pick(2) === 1 })
                if (choice === 18) throw new Error('the part processor broke')
                return choice === 17 ? null : choice === 16 ? part.text.toUpperCase() : undefined
              },
            },
            ...(pick(2) === 1
              ? []
              : [
                  {
                    id: 'whole',
                    async processOutput({ text, abort }: ProcessOutputContext) {
                      const choice = await hook()
                      if (choice === 1) abort('not that')
                      if (choice === 2) abort('not that', { retry: true })
                      return choice === 3 ? `${text}!` : undefined
                    },
                  },
                ]),
          ],
          maxProcessorRetries: 1,
        }
  const inBackground = (keys: readonly string[]) =>
    pick(2) === 0
      ? {}
      : {
          backgroundTasks: Object.fromEntries(
            keys.flatMap((key) => (pick(4) === 1 ? [] : [[key, { concurrency: 1 + pick(2) }]])),
          ),
        }
  const maxModelCalls = pick(4) === 1 ? 2 + pick(8) : Number.POSITIVE_INFINITY
  const budget = {
    ...(maxModelCalls === Number.POSITIVE_INFINITY ? {} : { modelCalls: maxModelCalls }),
    ...(pick(6) === 1 ? { tokens: 5 + pick(60) } : {}),
    ...(pick(6) === 1 ? { wallClock: 5 + pick(200) } : {}),
    warnAt: pick(11) / 10,
  }
  const maxRepeatedCalls = pick(4) === 1 ? { maxRepeatedCalls: 1 + pick(3) } : {}
  /** In some runs agents hand their conversation to each other. */
  const hands = pick(2) === 1
  const transfers = (...names: readonly string[]) =>
    hands ? names.flatMap((name) => [`transfer-to-${name}`, `transfer-to-${name}`]) : []
  const handing = (agents: () => AgentDefinition[]) =>
    hands
      ? {
          handoffs: agents,
          maxHandoffs: pick(3) === 1 ? 2 : 1,
          ...(pick(2) === 0
            ? {}
            : {
                handoffFilter: async ({ messages }: HandoffFilterContext) =>
                  (await hook()) === 1 ? [] : messages,
              }),
        }
      : {}
  const worker: AgentDefinition = createAgent({
    id: 'worker',
    description,
    instructions: '',
    model: model('worker', [...callTools, ...transfers('manager', 'worker')]),
    ...handing(() => [manager]),
    ...processors,
    tools,
    memory,
    maxSteps,
  })
  const manager: AgentDefinition = createSupervisor({
    id: 'manager',
    description,
    instructions: '',
    model: model('manager', ['agent-worker', 'agent-worker', 'plain', ...transfers('worker')]),
    ...handing(() => [worker]),
    agents: { worker },
    tools,
    delegation,
    maxSteps,
    ...inBackground(['worker']),
    ...maxRepeatedCalls,
    bailStrategy: pick(2) === 0 ? 'first' : 'last',
    hookErrors: pick(2) === 0 ? 'fail' : 'ignore',
  })
  const score = async (): Promise<number> => {
    const choice = await hook()
    return choice === 1 ? 0 : 1
  }
  const lead = createSupervisor({
    id: 'lead',
    instructions: '',
    model: model('lead', [
      ...delegates,
      ...delegates,
      'plain',
      'guarded',
      'agent-nobody',
      ...transfers('worker', 'manager'),
    ]),
    ...handing(() => [worker, manager]),
    ...processors,
    agents: { manager, worker },
    tools,
    memory,
    delegation,
    maxSteps,
    ...inBackground(['manager', 'worker']),
    ...maxRepeatedCalls,
    budget,
    toolCallConcurrency: 1 + pick(3),
    bailStrategy: pick(2) === 0 ? 'first' : 'last',
    hookErrors: pick(2) === 0 ? 'fail' : 'ignore',
    completion: {
      scorers: [createScorer({ id: 'first', score }), createScorer({ id: 'second', score })],
      strategy: pick(2) === 0 ? 'all' : 'any',
      parallel: pick(2) === 0,
    },
    ...(pick(2) === 0
      ? {}
      : {
          onIterationComplete: async () => {
            const choice = await hook()
            if (choice === 1) return { continue: false }
            if (choice === 2) return { continue: false, feedback: 'finish' }
            return choice === 3 ? { continue: true, feedback: 'more' } : undefined
          },
          stopWhen: async () => (await hook()) === 1,
        }),
  })

  const atWork = new AgentsSeen()
  const states: string[] = []
  const replayedStates: string[] = []
  const troupe = createTroupeIn(inTurns, {
    agents: [lead],
    store: { ...store, memory: { ...store.memory, threads } },
    clock: instantClock(),
    inspect: recordStates(states),
    around: atWork.observer,
  })
  const cancelAt = pick(4) === 1 ? 1 + pick(40) : undefined
  const run = await troupe.start(lead, 'Do it.')
  const along: RunEvent[] = []
  // It counts turns of the event loop and not time, so that a run with the same choices is the same run.
  let idleTurns = 0
  const watch = (): NodeJS.Immediate =>
    setImmediate(() => {
      idleTurns++
      if (idleTurns > 200) void attempt(run.cancel('watchdog'))
      watchdog = watch()
    })
  let watchdog = watch()
  for await (const event of run.events) {
    idleTurns = 0
    along.push(event)
    if (event.seq === undefined) continue
    if (event.seq === cancelAt) void attempt(run.cancel('from a listener'))
    if (event.type === 'tool-call-approval' || event.type === 'tool-call-suspended')
      answer(run, event.payload.toolCallId, pick)
    if (event.type === 'delegation-start' && pick(16) === 15) cancelOne(run, event.path, pick)
  }
  clearImmediate(watchdog)
  hasEnded = true
  const result = await run.result
  await drain()
  const before = performed
  const replay = await troupe.replay(run.id, { inspect: recordStates(replayedStates) })
  await drain()
  return {
    troupe,
    run,
    result,
    events: await allEvents(run),
    along,
    replay,
    states,
    replayedStates,
    performedInReplay: performed - before,
    faultsOfWork: atWork.faults,
    modelCallsAfterEnd,
    maxModelCalls,
    modelCalls,
  }
}

/** Lets what was detached from the run come to its end. */
async function drain(): Promise<void> {
  for (let turns = 0; turns < 12; turns++) await new Promise<void>((resolve) => setImmediate(resolve))
}

async function allEvents(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  return events
}

/** Not waited for: what a listener says, it says at once. */
async function attempt(answer: Promise<void>): Promise<void> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof SignalError || error instanceof StoreError)) throw error
  }
}

/** One delegation, also one that has ended by now, and one that there never was. */
function cancelOne(run: Run, path: string, pick: (options: number) => number): void {
  const delegationId = pick(6) === 5 ? `${path}/nobody` : path
  void attempt(run.cancel('that one', { delegationId }))
}

/** Signals come from listeners, also wrong ones and repeated ones. */
function answer(run: Run, toolCallId: string, pick: (options: number) => number): void {
  switch (pick(5)) {
    case 1:
      void attempt(run.deny(toolCallId, 'no'))
      break
    case 2:
      void attempt(run.approve('nobody/knows'))
      break
    case 3:
      void attempt(run.cancel('instead of an answer'))
      break
    default:
      break
  }
  void attempt(run.approve(toolCallId))
  void attempt(run.resume(toolCallId, { ok: true }))
  void attempt(run.approve(toolCallId))
}

function reply(more: Partial<ModelReply>): ModelReply {
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
  return { text: '', toolCalls: [], finishReason: 'stop', usage, ...more }
}

function calls(
  request: ModelRequest,
  callables: readonly string[],
  pick: (options: number) => number,
): ModelReply {
  if (request.toolChoice === 'none') return reply({ text: 'the last word' })
  const toolCalls = Array.from({ length: 1 + pick(3) }, (): ToolCall => {
    const name = callables[pick(callables.length)] as string
    const id = pick(3) === 1 ? 'same' : ''
    const args: JsonValue = name.startsWith('agent-') ? { prompt: 'go' } : { q: 'x', reason: 'why not' }
    return pick(9) === 8 ? { id, name, args: null, malformed: '{' } : { id, name, args }
  })
  return reply({ toolCalls, finishReason: 'tool-calls', text: pick(3) === 1 ? 'thinking aloud' : '' })
}

/** What the process is to wait for comes by turns of the event loop too: the order is the same in each run. */
const inTurns: Environment = {
  clock: {
    now: () => systemEnvironment.clock.now(),
    after(delay, callback, options) {
      if (delay > 0) return systemEnvironment.clock.after(delay, callback, options)
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    },
  },
  newId: () => systemEnvironment.newId(),
}

/**
 * Time passes with every delay that ends, and every delay ends at the next turn of the event loop: the timeout of a
 * delegation or a hook some turns later, when only what hangs is still at work.
 */
function instantClock(): Clock {
  let now = 1_000
  return {
    now: () => now,
    after(delay, callback) {
      let turns = delay >= 60_000 ? 60 : 1
      const turn = (): void => {
        if (--turns > 0) handle = setImmediate(turn)
        else {
          now++
          callback()
        }
      }
      let handle = setImmediate(turn)
      return () => clearImmediate(handle)
    },
  }
}

function recordStates(states: string[]): NonNullable<TroupeConfig['inspect']> {
  return (event) => {
    if (event.type !== '@xstate.microstep') return
    const { id } = event.actorRef as AnyActorRef
    states.push(`${id} ${JSON.stringify((event.snapshot as { value?: unknown }).value)}`)
  }
}
