/**
 * An agent whose work is the chart of an adapter: the chart is given the task, and its output is the answer. A cancel and the
 * end of the time of the run stop the chart, with its effects.
 */
import { assign, type ActorLogic, type AnyActorRef, type AnyEventObject, type Snapshot } from 'xstate'
import { chartChild } from '../actors/actor-path.ts'
import type { Content } from '../actors/content/content.ts'
import type { EffectOutcome } from '../actors/effects/effect-kinds.ts'
import { sendToEffects } from '../actors/effects/effect.ts'
import type { Message } from '../actors/message.ts'
import { ConfigurationError } from '../errors.ts'
import { noUsage } from '../actors/usage.ts'
import { isRecord } from '../actors/values/json.ts'
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { initialContext, type LoopContext } from './loop/changes/context.ts'
import { acceptDraft, recordDraft } from './loop/changes/screening.ts'
import { named } from './shared/named.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { createLoop } from './loop/setup.ts'
import { outOfTime, startCancel } from './loop/states/closing.ts'
import { final, finishing } from './loop/states/ending.ts'
import { endAndAnnounceFailure } from './loop/states/failing.ts'
import { preparing } from './loop/states/preparing.ts'
import { output } from './shared/params.ts'

/** The input of the chart of an adapter. */
export interface ChartInput {
  /** The text of the task. */
  readonly task: string
  /** The task with its files, where it has some. */
  readonly content: Content
  /** The messages of the conversation before the task. */
  readonly history: readonly Message[]
  readonly instructions: string
  readonly runId: string
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  readonly resourceId: string | undefined
}

/** The output of the chart of an adapter: the answer of the agent. */
export type ChartAnswer = string | { readonly text: string }

export type ChartLogic = ActorLogic<Snapshot<unknown>, AnyEventObject, ChartInput>

/** A placeholder: the definition of the agent provides its chart. */
const chart: ChartLogic = {
  getInitialSnapshot: (_scope, { path }) => {
    throw new ConfigurationError(`The agent at "${path}" has no chart: define it with defineChartAgent.`)
  },
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot,
}

const customSetup = /* @__PURE__ */ createLoop<null, { readonly chart: ChartLogic }>().extend({
  actions: {
    takeAnswer: assign(({ context }, params: unknown) => takeAnswer(context, params)),
    /** Before the chart is left: what it leaves behind is wanted by nobody. */
    abortChart: ({ self }) => abortBelow(self),
  },
})

function takeAnswer(context: LoopContext<null>, given: unknown): Partial<LoopContext<null>> {
  const reply: EffectOutcome<'model'> = {
    text: textOf(given),
    toolCalls: [],
    finishReason: 'stop',
    usage: noUsage,
  }
  const draft = recordDraft(context, reply)
  return { ...draft, ...acceptDraft({ ...context, ...draft }) }
}

function textOf(given: unknown): string {
  if (typeof given === 'string') return given
  if (isRecord(given) && typeof given['text'] === 'string') return given['text']
  return JSON.stringify(given ?? null)
}

function abortBelow(actor: AnyActorRef): void {
  sendToEffects(actor, 'abort')
  const { children = {} } = actor.getSnapshot() as { children?: Record<string, AnyActorRef | undefined> }
  for (const child of Object.values(children)) if (child !== undefined) abortBelow(child)
}

function chartInput({ input, messages }: LoopContext<null>): ChartInput {
  const { profile, task, runId, path, resourceId, opening } = input
  const { history, content = task } = opening
  const [system] = messages.toArray()
  const instructions = system?.role === 'system' ? system.content : profile.instructions
  return { task, content, history, instructions, runId, path, resourceId }
}

const completed = { type: 'end', params: { outcome: 'completed' } } as const

export const customMachine = /* @__PURE__ */ once(() =>
  customSetup
    .createMachine({
      id: 'custom',
      description: 'An agent whose work is the chart of an adapter.',
      context: ({ input }) => initialContext(input, null),
      output: ({ event }) => event.output as AgentOutput,
      initial: 'preparing',
      on: {
        cancel: { target: '.cancelling', actions: 'abortChart' },
        'budget.spent': { target: '.expiring', actions: 'abortChart' },
        ...hearsNoSayings,
      },
      states: named({
        preparing: preparing({ ready: 'opening', ended: 'finishing' }),
        opening: {
          description: 'The work is one step.',
          entry: ['beginStep', 'announceStepStart'],
          always: 'working',
        },
        working: {
          description: 'The chart is at work.',
          invoke: {
            src: 'chart',
            id: chartChild,
            input: ({ context }) => chartInput(context),
            onDone: {
              target: 'finishing',
              actions: [
                { type: 'takeAnswer', params: output<unknown> },
                'announceAnswer',
                'closeStep',
                completed,
              ],
            },
            onError: { target: 'finishing', actions: endAndAnnounceFailure },
          },
        },
        expiring: {
          description: 'The time of the run is up, and the chart was stopped.',
          entry: [...outOfTime],
          always: 'finishing',
        },
        cancelling: {
          description: 'The run was cancelled, and the chart was stopped.',
          entry: startCancel,
          always: 'finishing',
        },
        finishing: {
          entry: ['endStep'],
          ...finishing({ ends: ['completed', 'exhausted', 'tripped', 'cancelled', 'failed'] }),
        },
        completed: final(),
        exhausted: final(),
        tripped: final(),
        failed: final(),
        cancelled: final(),
      }),
    })
    .provide({ actors: { chart } }),
)
