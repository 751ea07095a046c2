/**
 * The meta-router: which type of task is it, and which of the patterns that are valid for that type is to do it? Both
 * are chosen from configuration, never freely, and the choice is on record. Then the agent of that pattern does it all.
 */
import { once } from '../actors/values/once.ts'
import { patternKind, taskTypeKind } from '../actors/task-types.ts'
import type { Outcome, AgentReport } from './contract/agent.ts'
import { onHeld, onReports } from './loop/states/acting.ts'
import { undecided } from './loop/changes/decision-input.ts'
import { agentOutput, initialContext, type LoopContext } from './loop/changes/context.ts'
import { cancelling, finishing } from './loop/states/ending.ts'
import { announceSpent, expiresAll, unmoved } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { crashTakenDown, reportOf, takenDown, valueOf } from './loop/child-events.ts'
import { metaRouterSetup } from './meta-router/setup.ts'
import { patternQuestion, typeQuestion, workOf } from './meta-router/work.ts'
import { failure, output } from './shared/params.ts'

const whyOf = ({ event }: { event: { readonly output: unknown } }) => ({ why: undecided({ event }).message })

export const metaRouterMachine = /* @__PURE__ */ once(() =>
  metaRouterSetup.createMachine({
    id: 'meta-router',
    description:
      'Chooses the type of a task, then one of the patterns valid for it, and hands the task over.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#identifyingTaskType'),
      identifyingTaskType: {
        id: 'identifyingTaskType',
        description: 'What kind of task is it? Chosen among the types that are configured.',
        initial: 'choosing',
        states: {
          choosing: {
            description:
              'A request that names its pattern, or goes on with a conversation, is past the choice.',
            always: [
              { guard: 'isNamed', target: '#dispatching', actions: 'recordNamedPattern' },
              { guard: 'goesOnWithConversation', target: '#dispatching', actions: 'recordConversation' },
              { target: 'loading' },
            ],
          },
          loading: {
            description: 'What is configured now? It may change while the troupe runs.',
            invoke: {
              src: 'config',
              id: 'config',
              input: ({ context }) => ({
                agent: context.input.profile.id,
                kinds: [taskTypeKind, patternKind],
                timeout: context.input.profile.hookTimeout,
              }),
              onDone: {
                target: 'weighing',
                actions: { type: 'recordConfig', params: output },
              },
              onError: { target: 'weighing', actions: { type: 'announceFailure', params: failure } },
            },
          },
          weighing: {
            always: [
              {
                guard: 'hasNoType',
                target: '#selectingPattern',
                actions: { type: 'recordTypeFallback', params: { why: 'no task type is configured' } },
              },
              { guard: 'hasOneType', target: '#selectingPattern', actions: 'recordOnlyType' },
              { target: 'asking' },
            ],
          },
          asking: {
            entry: { type: 'startDecision', params: ({ context }) => typeQuestion(context) },
            on: {
              'xstate.done.actor.*': [
                {
                  guard: { type: 'isMade', params: reportOf },
                  target: '#selectingPattern',
                  actions: [{ type: 'recordType', params: valueOf }, ...takenDown],
                },
                {
                  target: '#selectingPattern',
                  actions: [{ type: 'recordTypeFallback', params: whyOf }, ...takenDown],
                },
              ],
              'xstate.error.actor.*': {
                target: '#selectingPattern',
                actions: [
                  { type: 'recordTypeFallback', params: { why: 'the decision broke' } },
                  ...crashTakenDown,
                ],
              },
            },
          },
        },
      },
      selectingPattern: {
        id: 'selectingPattern',
        description: 'How is it to be done? Chosen among the patterns that are valid for its type.',
        initial: 'choosing',
        states: {
          choosing: {
            always: [
              { guard: 'hasOnePattern', target: '#dispatching', actions: 'recordOnlyPattern' },
              { target: 'asking' },
            ],
          },
          asking: {
            entry: { type: 'startDecision', params: ({ context }) => patternQuestion(context) },
            on: {
              'xstate.done.actor.*': [
                {
                  guard: { type: 'isMade', params: reportOf },
                  target: '#dispatching',
                  actions: [{ type: 'recordPattern', params: valueOf }, ...takenDown],
                },
                {
                  target: '#dispatching',
                  actions: [{ type: 'recordPatternFallback', params: whyOf }, ...takenDown],
                },
              ],
              'xstate.error.actor.*': {
                target: '#dispatching',
                actions: [
                  { type: 'recordPatternFallback', params: { why: 'the decision broke' } },
                  ...crashTakenDown,
                ],
              },
            },
          },
        },
      },
      dispatching: {
        id: 'dispatching',
        description: 'The agent of the pattern does the task; what it ends with is what this ends with.',
        entry: ['announcePattern', 'dispatch'],
        initial: 'collecting',
        on: {
          // The agent of the pattern ends with what it has, and so does this.
          'budget.spent': { actions: ['expireChildren', announceSpent] },
          'xstate.done.actor.*': {
            target: '#finishing',
            actions: [...takenDown, { type: 'passOn', params: reportOf }],
          },
          'xstate.error.actor.*': {
            target: '#finishing',
            actions: [
              { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
              ...crashTakenDown,
            ],
          },
          ...onHeld('.collecting'),
        },
        states: {
          collecting: { always: { guard: 'onlyHeldLeft', target: 'held' } },
          held: {
            description: 'The agent waits for a person.',
            entry: 'announceHeld',
            exit: 'announceReleased',
          },
        },
      },
      expiring: {
        id: 'expiring',
        description: 'The time of the run is up before there was a pattern to do the task.',
        entry: [...expiresAll],
        always: { guard: 'noLiveChildren', target: '#finishing' },
        on: { ...unmoved, ...onReports() },
      },
      cancelling,
      finishing: finishing(['completed', 'exhausted', 'bailed', 'tripped', 'cancelled'], {
        delegates: false,
        speaks: true,
      }),
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
    },
  }),
)

/** With what was decided, and why. */
function final(outcome: Outcome) {
  return {
    id: outcome,
    type: 'final',
    output: ({ context }: { context: LoopContext }): AgentReport => ({
      ...agentOutput(context),
      decisions: workOf(context).decisions,
    }),
  } as const
}
