/** The states in which a routing agent chooses: without its model where there is no choice, else by one decision. */
import type { DecisionOutput } from '../decision.ts'
import { failure } from '../shared/params.ts'
import { unknownUsage } from '../contract/spent.ts'
import { crashTakenDown, reportOf, takenDown } from '../loop/child-events.ts'
import { decided, undecided } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { spentInIteration } from '../loop/states/expiring.ts'
import { notifying } from '../loop/states/notifying.ts'
import { taskOf } from '../loop/changes/task.ts'
import { candidatesOf, routingQuestion, type Mode } from './question.ts'
import type { Choice } from './record.ts'
import type { RoutingDecision } from './routing-decision.ts'
import { selectionSetup } from './setup.ts'

export interface Made {
  readonly context: LoopContext
  readonly event: { readonly output: unknown }
}

/** Goes on to `next` with the choice taken down. For a router the decision is an iteration, and may be the answer. */
export function selecting<const Next extends string>(mode: Mode, next: Next) {
  const isRouter = mode === 'router'
  const iterationStarts = isRouter ? ['announceIterationStart' as const] : []
  const iterationEnds = isRouter
    ? [{ type: 'announceIterationEnd' as const, params: { continue: false } }]
    : []
  const choice = ({ context, event }: Made): Choice => {
    const decision = decided({ event }) as object as RoutingDecision
    const handsOver = !isRouter
    return {
      decision:
        handsOver && decision.primitiveType === 'agent' ? { ...decision, prompt: taskOf(context) } : decision,
      candidates: candidatesOf(context, mode),
      criterion: 'model',
      handsOver,
      usage: (event.output as DecisionOutput).usage,
    }
  }
  const writes = [
    {
      guard: { type: 'mustWriteAnswer' as const, params: reportOf },
      target: '#thinking',
      actions: [
        { type: 'announceDecision' as const, params: choice },
        ...takenDown,
        'askForAnswerNow' as const,
      ],
    },
  ]
  const none = selectionSetup.createStateConfig({
    always: [
      {
        guard: 'hasNoCandidate',
        target: '#finishing',
        actions: { type: 'end', params: { outcome: 'failed', error: noCandidates } },
      },
    ],
  }).always
  return selectionSetup.createStateConfig({
    entry: ['beginStep', ...iterationStarts, 'announceStepStart'],
    ...(isRouter ? { on: spentInIteration } : {}),
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Is there anything to choose?',
        always: [
          ...(isRouter ? [] : none),
          {
            guard: 'hasOnlyCandidate',
            target: 'decided',
            actions: ['announceOnlyChoice', 'takeOnlyChoice'],
          },
          { target: 'asking' },
        ],
      },
      asking: {
        entry: {
          type: 'startDecision',
          params: ({ context }) => routingQuestion(context, mode),
        },
        on: {
          'xstate.done.actor.*': [
            ...(isRouter ? writes : []),
            {
              guard: { type: 'isMade', params: reportOf },
              target: 'decided',
              actions: [
                { type: 'announceDecision', params: choice },
                ...takenDown,
                { type: 'takeDecision', params: choice },
                'announceMessage',
              ],
            },
            {
              guard: { type: 'lacksBudget', params: undecided },
              target: '#exhausting',
              actions: [
                ...takenDown,
                { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } },
                { type: 'announceError', params: undecided },
                ...iterationEnds,
              ],
            },
            {
              guard: { type: 'lacksUsage', params: undecided },
              target: '#finishing',
              actions: [
                ...takenDown,
                { type: 'end', params: ({ event }) => unknownUsage(undecided({ event })) },
                { type: 'announceError', params: undecided },
                ...iterationEnds,
              ],
            },
            {
              target: '#finishing',
              actions: [
                ...takenDown,
                { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: undecided({ event }) }) },
                { type: 'announceError', params: undecided },
                ...iterationEnds,
              ],
            },
          ],
          'xstate.error.actor.*': {
            target: '#finishing',
            actions: [
              ...crashTakenDown,
              { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
              { type: 'announceError', params: failure },
              ...iterationEnds,
            ],
          },
        },
      },
      decided: {
        always: [{ guard: 'hasStepHook', target: 'notifying' }, { target: next }],
      },
      notifying: notifying(next),
    },
  })
}

const noCandidates = {
  name: 'NoCandidatesError',
  code: 'NO_CANDIDATES',
  message: 'There is no agent, workflow or tool to choose from.',
}
