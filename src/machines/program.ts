/**
 * A program that a model has written, at work: it runs until it waits for calls of tools, the calls are made, and it goes on with
 * their outcomes. This file draws every arrow between the states.
 */
import { once } from '../actors/values/once.ts'
import type { AgentReport } from './contract/agent.ts'
import { holds, reports } from './loop/child-events.ts'
import { initialContext } from './loop/changes/context.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { batch } from './loop/states/batch.ts'
import { cancelling, expiring } from './loop/states/closing.ts'
import { final, finishing } from './loop/states/ending.ts'
import { endAndAnnounceFailure } from './loop/states/failing.ts'
import { preparing } from './loop/states/preparing.ts'
import { named } from './shared/named.ts'
import { noInterpreter, noLegs, programSetup } from './program/setup.ts'
import { callsOf, ending, errorOf, failureOf, legInput, textOf } from './program/params.ts'

const endWithError = [
  { type: 'announceError', params: errorOf },
  { type: 'end', params: failureOf },
] as const

export const programMachine = /* @__PURE__ */ once(() =>
  programSetup
    .createMachine({
      id: 'program',
      description: 'A program that a model has written, and the calls of tools that it makes.',
      context: ({ input }) => initialContext(input, noLegs),
      output: ({ event }) => event.output as AgentReport,
      initial: 'preparing',
      on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
      states: named({
        preparing: preparing({ ready: 'running', ended: 'finishing' }),
        running: {
          description: 'The program runs until it waits for calls, or has ended.',
          entry: ['beginStep', 'announceOpenStep'],
          invoke: {
            src: 'leg',
            id: 'leg',
            input: ({ context }) => legInput(context),
            onDone: [
              {
                guard: { type: 'legEnds', params: ending('calls') },
                target: 'calling',
                actions: [{ type: 'recordCalls', params: callsOf }, 'announceMessage'],
              },
              {
                guard: { type: 'legEnds', params: ending('done') },
                target: 'finishing',
                actions: [
                  { type: 'recordAnswer', params: textOf },
                  'announceAnswer',
                  'closeStep',
                  { type: 'end', params: { outcome: 'completed' } },
                ],
              },
              {
                guard: { type: 'legEnds', params: ending('outOfFuel') },
                target: 'outOfFuel',
                actions: endWithError,
              },
              { target: 'finishing', actions: endWithError },
            ],
            onError: { target: 'finishing', actions: endAndAnnounceFailure },
          },
        },
        calling: {
          description:
            'The calls of the program run side by side within the window. It waits for all of them.',
          entry: 'startCalls',
          ...batch({ settled: 'running' }),
        },
        outOfFuel: {
          description: 'The program has used up its instructions, its memory or its time.',
          always: 'finishing',
        },
        expiring: expiring({ closed: 'finishing' }),
        cancelling: cancelling({ closed: 'finishing' }),
        finishing: {
          entry: 'endStep',
          ...finishing({ ends: ['completed', 'exhausted', 'tripped', 'cancelled', 'failed'] }),
        },
        completed: final(),
        exhausted: final(),
        tripped: final(),
        failed: final(),
        cancelled: final(),
      }),
    })
    .provide({ actors: { leg: noInterpreter } }),
)
