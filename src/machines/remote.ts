/**
 * An agent that another system serves: its task is sent to the server and followed there; a question of the server is
 * answered by a person, and a cancel reaches the server. This file draws every arrow between the states.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { initialContext } from './loop/changes/context.ts'
import { named } from './shared/named.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { outOfTime, startCancel } from './loop/states/closing.ts'
import { final, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { asking } from './remote/asking.ts'
import { concluding } from './remote/concluding.ts'
import { following } from './remote/following.ts'
import { leaving } from './remote/leaving.ts'
import { sending } from './remote/sending.ts'
import { remoteActors, remoteSetup } from './remote/setup.ts'
import { firstWork } from './remote/work.ts'

export const remoteMachine = /* @__PURE__ */ once(() =>
  remoteSetup
    .createMachine({
      id: 'remote',
      description: 'An agent that another system serves.',
      context: ({ input }) => initialContext(input, firstWork),
      output: ({ event }) => event.output as AgentOutput,
      initial: 'preparing',
      on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...hearsNoSayings },
      states: named({
        preparing: preparing({ ready: 'opening', ended: 'finishing' }),
        opening: {
          description: 'The task becomes a message to the server.',
          entry: ['beginStep', 'announceStepStart', 'openTask'],
          always: 'sending',
        },
        sending: sending({
          begun: 'following',
          answered: 'concluding',
          failed: 'withdrawing',
          cancelled: 'cancelling',
          outOfTime: 'expiring',
          calledOff: 'calledOff',
        }),
        following: following({
          asks: 'asking',
          answered: 'concluding',
          ended: 'finishing',
          failed: 'withdrawing',
        }),
        asking: asking({ answered: 'sending', refused: 'withdrawing' }),
        concluding: concluding({ ended: 'finishing' }),
        withdrawing: {
          description: 'The agent fails, and its server is told to stop.',
          on: { 'budget.spent': {} },
          ...leaving({ left: 'finishing' }),
        },
        expiring: {
          description: 'The time of the run is up, and the server is told to stop.',
          entry: [...outOfTime],
          on: { 'budget.spent': {} },
          ...leaving({ left: 'finishing', over: 'finishing' }),
        },
        cancelling: {
          description: 'The run was cancelled, and the server is told to stop.',
          entry: startCancel,
          on: { cancel: {}, 'budget.spent': {} },
          ...leaving({ left: 'finishing', over: 'finishing' }),
        },
        calledOff: {
          description:
            'The agent has ended while its first message was under way. The server is told to stop.',
          on: { cancel: {}, 'budget.spent': {} },
          ...leaving({ left: 'finishing' }),
        },
        finishing: {
          entry: ['closeOpenCalls', 'endStep'],
          ...finishing({ ends: ['completed', 'exhausted', 'tripped', 'cancelled', 'failed'] }),
        },
        completed: final(),
        exhausted: final(),
        tripped: final(),
        failed: final(),
        cancelled: final(),
      }),
    })
    .provide({ actors: remoteActors }),
)
