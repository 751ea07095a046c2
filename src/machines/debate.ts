/**
 * A debate: several agents answer independently of each other, criticise each other for some rounds, and one answer is
 * made of it all. Its own states stand in debate/, the others in loop/.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/agent.ts'
import { bailing, expiringRound, hearing } from './debate/hearing.ts'
import { debateSetup } from './debate/setup.ts'
import { initialContext } from './loop/changes/context.ts'
import { deciding } from './loop/states/deciding.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { expiring } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'

const noQuorum = {
  outcome: 'failed',
  error: {
    name: 'NoQuorumError',
    code: 'NO_QUORUM',
    message: 'Too few of the agents had something to say.',
  },
} as const

export const debateMachine = /* @__PURE__ */ once(() =>
  debateSetup.createMachine({
    id: 'debate',
    description: 'Several agents propose, criticise each other, and are reconciled.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling' },
    states: {
      preparing: preparing('#proposing'),
      proposing: hearing(
        'proposing',
        'propose',
        '#weighing',
        'Everybody answers, and nobody sees the others.',
      ),
      weighing: {
        id: 'weighing',
        description: 'Are there enough proposals, and is there another round of criticism?',
        always: [
          { guard: 'lacksQuorum', target: '#finishing', actions: { type: 'end', params: noQuorum } },
          { guard: 'mayCriticise', target: '#critiquing' },
          {
            guard: 'isAtCap',
            target: '#exhausting',
            actions: [
              'askForReconciliation',
              { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
            ],
          },
          { target: '#reconciling' },
        ],
      },
      critiquing: hearing(
        'critiquing',
        'criticise',
        '#weighing',
        'Everybody looks at the others, and may change its mind.',
      ),
      bailing,
      reconciling: {
        id: 'reconciling',
        description: 'One answer is made of what stands up to the criticism.',
        initial: 'asking',
        states: {
          asking: { entry: 'askForReconciliation', always: '#thinking' },
          thinking: thinking({ reviewed: false, afterAnswer: '#deciding', withTools: false }),
        },
      },
      deciding: deciding({ reviewed: false, withTools: false }),
      expiring: expiring({ waits: false }),
      expiringRound,
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: false }),
      cancelling,
      finishing: finishing(['completed', 'bailed', 'exhausted', 'stopped', 'tripped', 'cancelled'], {
        delegates: false,
      }),
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      stopped: final('stopped'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
    },
  }),
)
