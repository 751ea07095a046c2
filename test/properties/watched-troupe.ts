/**
 * Several troupes on one store and one virtual clock, as processes: one run goes from owner to owner, while readers watch it
 * from any of them, leave, and come back with the cursor of the last event that they have seen. Driven by a list of
 * choices; 0 is always the tame one.
 */
import { createAgent, createSupervisor, createTool, memoryStore, RetryableError, StoreError } from 'troupe'
import type { ChatModel, ModelReply, RunEvent, RunSummary, Store, Troupe } from 'troupe'
import { createTroupeOn, virtualClock, type VirtualClock } from 'troupe/testing'
import { z } from 'zod'

export interface WatchedRun {
  /** The events of the run, from a replay at the end. */
  readonly recorded: readonly RunEvent[]
  /** Of each reader: all that it was given, over all of its visits. */
  readonly seen: readonly (readonly RunEvent[])[]
  readonly visits: number
  readonly owners: number
}

const processes = 3
const readers = 4
const most = 2_000

/** `undefined` for a run that did not end: all of its processes were cut off. */
export async function watchRandomly(choices: readonly number[]): Promise<WatchedRun> {
  let position = 0
  const pick = (options: number): number => (choices[position++] ?? 0) % options
  const clock = virtualClock()
  const pass = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void clock.after(milliseconds, resolve))
  const store = memoryStore()
  const boss = bossOf(pick, pass)
  const open = (): Process => processOn(clock, store, boss)
  const running = Array.from({ length: processes }, open)
  const any = (): Troupe => (running[pick(processes)] as Process).troupe
  let owners = 1
  let visits = 0

  const { id: runId } = await any().start(boss, 'Go')

  const read = async (): Promise<readonly RunEvent[]> => {
    const seen: RunEvent[] = []
    for (;;) {
      visits++
      const after = seen.at(-1)?.cursor
      let left = pick(2) === 0 ? Infinity : 1 + pick(6)
      try {
        for await (const event of any().watch(runId, after === undefined ? {} : { after })) {
          seen.push(event)
          if (event.final) return seen
          if (--left === 0) break
        }
      } catch (error) {
        if (!isGone(error)) throw error
      }
      await pass(pick(20) + 1)
    }
  }

  /** Ends processes, some of them by cutting them off from the store, and begins others in their place. */
  const restart = async (): Promise<void> => {
    for (let times = pick(6); times > 0; times--) {
      await pass(1 + pick(30))
      const place = pick(processes)
      const old = running[place] as Process
      running[place] = open()
      if (pick(2) === 1) old.cutOff()
      await old.troupe.close().catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
      owners++
    }
  }

  /** Answers questions from any process, and lets any process take the run, until it has ended. */
  const drive = async (): Promise<void> => {
    for (let rounds = 0; rounds < most; rounds++) {
      const [run] = (await store.list('runs', {})).items
      if (run === undefined || run.status === 'settled') return
      await answer(any(), run, pick)
      await any().recover()
      await pass(20)
    }
    throw new Error(`The run has not ended after ${most} rounds.`)
  }

  const seen = Promise.all(Array.from({ length: readers }, read))
  const [all] = await clock.runUntil(Promise.all([seen, restart(), drive()]))
  const { events } = await any().replay(runId)
  for (const { troupe } of running) await troupe.close()
  return { recorded: events, seen: all, visits, owners }
}

interface Process {
  readonly troupe: Troupe
  /** From now on the store refuses all that this process asks. */
  cutOff(): void
}

function processOn(clock: VirtualClock, store: Store, boss: ReturnType<typeof bossOf>): Process {
  let isCut = false
  const part = <Part extends object>(of: Part): Part =>
    new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown => {
          if (isCut && name !== 'schedule') return Promise.reject(new StoreError('cut off'))
          return Reflect.apply(value, target, given)
        }
      },
    })
  return {
    troupe: createTroupeOn(clock, {
      agents: [boss],
      store: part(store),
      pollInterval: 5,
      leaseTtl: 100,
      passivateAfter: 0,
      onError: () => undefined,
    }),
    cutOff() {
      isCut = true
    },
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === 'TROUPE_CLOSED' || error instanceof StoreError
}

async function answer(troupe: Troupe, { runId, awaiting }: RunSummary, pick: (options: number) => number) {
  for (const { toolCallId, type } of awaiting) {
    const signals = {
      approval: { type: pick(3) === 1 ? ('deny' as const) : ('approve' as const), toolCallId },
      suspension: { type: 'resume' as const, toolCallId, data: 1 },
      interruption: { type: 'resume' as const, toolCallId, data: { retry: true } },
    }
    // Another process may have been asked before.
    await troupe.signal(runId, signals[type]).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error
    })
  }
}

type Pass = (milliseconds: number) => Promise<void>

/** It delegates twice in one step, then asks a person, then answers. Models fail, and say the same or something else again. */
function bossOf(pick: (options: number) => number, pass: Pass) {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const model = (modelId: string, turn: (step: number) => Partial<ModelReply>): ChatModel => ({
    provider: 'random',
    modelId,
    async generate({ messages }, { onDelta, signal }) {
      const step = messages.filter(({ role }) => role === 'assistant').length
      const { text: plain = '', toolCalls = [] } = turn(step)
      const text = pick(3) === 1 ? `${plain}, or so` : plain
      const fails = pick(5) === 1
      const words = text.split(/(?<= )/)
      for (const word of fails ? words.slice(0, 1 + pick(words.length)) : words) {
        if (pick(3) > 0) await pass(1 + pick(4))
        signal.throwIfAborted()
        onDelta?.({ type: 'text', text: word })
      }
      if (fails) throw new RetryableError('busy')
      return { text, toolCalls, finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop', usage }
    },
  })
  const inputSchema = z.object({})
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    requireApproval: true,
    execute: () => 'asked',
  })
  const work = createTool({
    id: 'work',
    description: 'Works.',
    inputSchema,
    execute: async (_input, { emit }) => {
      emit?.({ done: 1 })
      await pass(pick(4))
      return 'worked'
    },
  })
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model: model('helper', (step) =>
      step === 0
        ? { text: 'let me look at it', toolCalls: [{ id: 'w', name: 'work', args: {} }] }
        : { text: 'the helper is done with it' },
    ),
    tools: { work },
  })
  const delegation = (id: string) => ({ id, name: 'agent-helper', args: { prompt: id } })
  return createSupervisor({
    id: 'boss',
    instructions: 'Lead.',
    model: model('boss', (step) => {
      if (step === 0) return { text: 'I ask two helpers', toolCalls: [delegation('d1'), delegation('d2')] }
      if (step === 1) return { text: 'now a question', toolCalls: [{ id: 'q', name: 'ask', args: {} }] }
      return { text: 'all is done here' }
    }),
    tools: { ask },
    agents: { helper },
  })
}
